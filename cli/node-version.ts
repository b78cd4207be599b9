/** Which Node this needs. Nothing is imported here: an older one could not load it. */

const least = [22, 13] as const;

/** One line for standard error; undefined if the version will do. */
export function versionFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return `troupe needs Node ${least.join('.')} or later, this is ${version}\n`;
}
