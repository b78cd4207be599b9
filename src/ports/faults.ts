/** Where faults go that have nobody to answer to: a listener that throws, a flush that fails. */
export type FaultReporter = (fault: { readonly where: string; readonly error: unknown }) => void;

/** A process warning with the place and the error's name; never its text, which may hold what a model or backend said. */
export const warnOfFault: FaultReporter = ({ where, error }) => {
  const kind = error instanceof Error ? error.name : typeof error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
  process.emitWarning(`troupe: ${where} failed: ${kind}${code}`, 'TroupeFault');
};
