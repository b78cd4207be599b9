/** The rule of strict providers: the calls of an answer are all answered, once each, in the message right behind it (P18). */
export interface BalanceStep {
  readonly role: string;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** What breaks the rule, or undefined. */
export function imbalanceOf(steps: readonly BalanceStep[]): string | undefined {
  let open: string[] = [];
  for (const [index, { role, calls, results }] of steps.entries()) {
    if (open.length > 0 && role !== 'tool') return `message ${index} (${role}) comes before the results of ${open.join(', ')}`;
    for (const callId of results) {
      if (!open.includes(callId)) return `message ${index} answers ${callId}, which is not open`;
      open = open.filter((other) => other !== callId);
    }
    if (role === 'tool' && open.length > 0) return `message ${index} leaves ${open.join(', ')} unanswered`;
    if (new Set(calls).size < calls.length) return `message ${index} makes two calls under one id: ${calls.join(', ')}`;
    open = [...calls];
  }
  return open.length > 0 ? `the last message leaves ${open.join(', ')} unanswered` : undefined;
}
