/** Whether an event has the form of its type: logs are other people's data, and every other rule counts on their fields. */

import type { SessionEvent, SessionEventType } from '../../sessions/event.ts';
import { shown } from './shown.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isEpoch: Check = (value) => isCount(value) && value !== 0;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isReason: Check = (value) => typeof value === 'string' && /^[a-z][a-z0-9_-]{0,63}$/.test(value);
const isThere: Check = (value) => value !== undefined;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const all = Object.entries(checks);
  return (value) => isFields(value) && all.every(([name, check]) => check(value[name]));
};
/** By the value of one field. */
const variants =
  (tag: string, checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const name = isFields(value) ? value[tag] : undefined;
    return typeof name === 'string' && Object.hasOwn(checks, name) && checks[name]?.(value) === true;
  };

const text = fields({ text: isText });
const contentBlock = variants('type', { text, image: fields({ mediaType: isText, data: isText }) });
const toolCall = fields({ callId: isName, toolName: isText, input: isThere });
const assistantBlock = variants('type', { text, reasoning: text, 'tool-call': toolCall });
const resultBlock = fields({
  type: oneOf('tool-result'),
  callId: isName,
  toolName: isText,
  output: isThere,
  isError: maybe(isFlag),
  isInterrupted: maybe(isFlag),
});
const from = (form: string) => fields({ form: oneOf(form), senderSessionId: isName });
const source = variants('kind', {
  'agent-message': from('relay'),
  'subagent-settled': (value) => from('notice')(value) && fields({ summary: isText })(value),
  delegation: from('prompt'),
  user: fields({ form: oneOf('prompt'), requestId: maybe(isName), timeZone: maybe(isText) }),
  context: fields({ form: oneOf('inject') }),
  'turn-interrupted': fields({ form: oneOf('notice') }),
});
const end = { stopReason: isReason, diagnostic: maybe(isText) };

const forms: { readonly [Type in SessionEventType]: Check } = {
  'subagent/descriptor': fields({
    version: oneOf(1),
    provider: isText,
    mode: oneOf('continuable'),
    label: isText,
    instructions: maybe(isText),
    tools: maybe(listOf(isText)),
    agentOptions: isFields,
    agentPreset: maybe(isText),
    outputSchema: maybe(isFields),
    maxDepth: maybe(isCount),
    callId: maybe(isText),
  }),
  'subagent/child': fields({
    id: isName,
    mode: oneOf('one-shot', 'continuable', 'external', 'unknown'),
    label: maybe(isText),
    createdAt: isNumber,
  }),
  'inbox/inserted': fields({
    messageId: isName,
    lane: oneOf('turn', 'step'),
    wakes: isFlag,
    source,
    content: listOf(contentBlock),
  }),
  'inbox/claimed': fields({ messageIds: listOf(isName), waking: isCount, turnId: isName }),
  'inbox/discarded': fields({ messageIds: listOf(isName), waking: isCount, reason: oneOf('disposed', 'removed') }),
  'inbox/edited': fields({ messageId: isName, content: listOf(contentBlock) }),
  'inbox/promoted': fields({ messageId: isName }),
  'turn/started': fields({ turnId: isName, epoch: isEpoch }),
  'assistant/message': fields({ turnId: isName, content: listOf(assistantBlock), usage: maybe(isFields), model: maybe(isText) }),
  'tool/results': fields({ turnId: isName, content: listOf(resultBlock) }),
  'result/submitted': fields({ turnId: isName, value: isThere }),
  'turn/ended': fields({ turnId: isName, ...end, isInterrupted: maybe(isFlag) }),
  'activation/ended': fields({ runId: isName, epoch: isEpoch, ...end, notice: maybe(isName) }),
  'notice/delivered': fields({ notice: isName }),
};

/** What is wrong with the form of an event; undefined if nothing is. */
export function formFault(event: SessionEvent): string | undefined {
  const { type, time, data } = (event ?? {}) as Partial<Record<keyof SessionEvent, unknown>>;
  if (typeof type !== 'string' || !Object.hasOwn(forms, type)) return `nobody knows the type ${shown(type)}`;
  if (!forms[type as SessionEventType](data)) return `${type} has not the fields of its type`;
  return isNumber(time) ? undefined : `its time is ${shown(time)}`;
}
