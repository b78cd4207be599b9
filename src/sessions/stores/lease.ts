/** How long a claim holds without `renew`, in milliseconds. A frozen process keeps its sessions from others that long. */
export const defaultLeaseMs = 30_000;
