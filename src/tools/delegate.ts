/** The tool with which a model delegates (S8.1). One per provider. */
import type { Agent } from '../agents/agent.ts';
import type { AgentTool, ToolCallContext } from '../agents/tool.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentActivation, SubagentActivationSpec, SubagentProvider, SubagentResult } from '../providers/contract.ts';
import { textOf } from '../sessions/content.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import { shortened } from '../sessions/one-line.ts';
import { readInput, refusing } from './control.ts';

/** What the tool needs of a runtime. */
export interface DelegationPort {
  startActivation(spec: SubagentActivationSpec): Promise<SubagentActivation>;
  getProvider(name: string): SubagentProvider | undefined;
  resolveMaxDepth(configured?: number | 'provider-managed'): number | undefined;
  readonly limits: { readonly resultBytes: number };
}

export interface DelegateOptions {
  readonly runtime: DelegationPort;
  /** Name of the provider that it starts children with. */
  readonly provider: string;
  /** Default: `delegate`. */
  readonly name?: string;
  /** Cap on the depth of the children; absent: the runtime's setting. */
  readonly maxDepth?: number | 'provider-managed';
  /** Whether a call that does not say runs in the background. Default: true for local children. */
  readonly background?: boolean;
  /** Models that the caller may choose from; absent: no choice. */
  readonly models?: readonly string[];
  /** Presets that the caller may choose from; absent: no choice. */
  readonly presets?: readonly string[];
  /** Whether the caller may name a working directory. Default: no. */
  readonly directories?: boolean;
  /** Asked of every child: it must hand in a value that satisfies the schema. */
  readonly outputSchema?: JsonObject;
}

interface DelegateInput {
  readonly description: string;
  readonly prompt: string;
  readonly isBackground: boolean;
  readonly cwd?: string;
  readonly model?: string;
  readonly preset?: string;
}

export function delegateTool(options: DelegateOptions): AgentTool {
  const { runtime, provider } = options;
  const schemas = inputSchemas(options);
  return {
    name: options.name ?? 'delegate',
    // both depend on the provider, which may be registered later, or again
    get description() {
      return describe(runtime.getProvider(provider));
    },
    get inputSchema() {
      return schemas(choicesOf(options));
    },
    isAvailable: (agent: Agent) => {
      return runtime.getProvider(provider) !== undefined && agent.depth < depthLimit(options);
    },
    async execute(input, call) {
      const { request, activation } = await refusing('nothing was started', async () => {
        const asked = parseInput(input, options);
        const spec = specOf(options, asked, call, asked.isBackground ? 'parent' : 'caller');
        return { request: asked, activation: await runtime.startActivation(spec) };
      });
      if (request.isBackground) return `started subagent ${activation.childId}`;
      return outcomeOf(activation, call, runtime.limits.resultBytes);
    },
  };
}

/** Below it the runtime takes a start: the tool's own limit where it is passed on, else no more than the runtime's setting. */
function depthLimit(options: DelegateOptions): number {
  const { runtime } = options;
  const setting = runtime.resolveMaxDepth() ?? Number.POSITIVE_INFINITY;
  const own = runtime.resolveMaxDepth(options.maxDepth) ?? setting;
  return passedDepth(options) === undefined ? Math.min(own, setting) : own;
}

/** What a start names: only a provider that enforces a limit is given one. */
function passedDepth({ runtime, provider, maxDepth }: DelegateOptions): number | undefined {
  return runtime.getProvider(provider)?.capabilities.depthLimit === true ? runtime.resolveMaxDepth(maxDepth) : undefined;
}

async function outcomeOf(activation: SubagentActivation, call: ToolCallContext, bytesMax: number): Promise<JsonValue> {
  // scheduled: children that delegate in turn would otherwise stop one inside the other; its failure is awaited below
  const stop = () => queueMicrotask(() => void activation.dispose().catch(() => undefined));
  call.signal.addEventListener('abort', stop, { once: true });
  if (call.signal.aborted) stop();
  try {
    return answerOf(await activation.result, activation.childId, bytesMax);
  } finally {
    call.signal.removeEventListener('abort', stop);
    await activation.dispose().catch(() => undefined); // the outcome above stands; the end event carries the failure
  }
}

function specOf(
  options: DelegateOptions,
  input: DelegateInput,
  call: ToolCallContext,
  delivery: 'parent' | 'caller',
): SubagentActivationSpec {
  const { provider, outputSchema } = options;
  const maxDepth = passedDepth(options);
  return {
    provider,
    label: input.description,
    delivery,
    ...(delivery === 'caller' && { callId: call.callId }),
    signal: call.signal,
    request: {
      parent: call.agent,
      prompt: [{ type: 'text', text: input.prompt }],
      ...(maxDepth !== undefined && { maxDepth }),
      ...(input.cwd !== undefined && { cwd: input.cwd }),
      ...(input.preset !== undefined && { agentPreset: input.preset }),
      ...(input.model !== undefined && { agentOptions: { model: input.model } }),
      ...(outputSchema !== undefined && { outputSchema }),
    },
  };
}

/** A natural end is the answer; every other end is a tool error: reason, diagnostic, then what there is of an answer. */
function answerOf(result: SubagentResult, childId: string, bytesMax: number): JsonValue {
  const text = textOf(result.output);
  const cut =
    result.truncated === undefined ? '' : `\n[cut; the whole has ${result.truncated.totalBytes} bytes under the id ${childId}]`;
  if (result.stopReason === 'completed') return boundValue(result.structured, childId, bytesMax) ?? `${text}${cut}`;
  const parts = [`subagent ${childId} ended: ${result.stopReason}`];
  if (result.diagnostic !== undefined) parts.push(result.diagnostic);
  if (text !== '') parts.push(`Partial text:\n${text}${cut}`);
  throw new Error(parts.join('\n'));
}

function boundValue(value: JsonValue | undefined, childId: string, bytesMax: number): JsonValue | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes <= bytesMax ? value : `[the structured result has ${bytes} bytes; the whole is kept under the id ${childId}]`;
}

function describe(provider: SubagentProvider | undefined): string {
  const sight =
    provider?.inheritsParentContext === true
      ? 'It sees this conversation up to the last completed turn.'
      : 'It does not see this conversation: put everything it needs into the prompt.';
  return [
    'Delegates a task to a subagent, which works on it alone and reports back.',
    sight,
    'Start independent tasks together, in one step: they run side by side.',
    'In the background the call returns the subagent id at once and its report arrives later as a notice; do not wait or poll for it.',
  ].join(' ');
}

/** What the caller may choose: where the tool is configured for it and the provider takes it. */
interface Choices {
  readonly models: readonly string[] | undefined;
  readonly presets: readonly string[] | undefined;
}

function choicesOf({ runtime, provider, models, presets }: DelegateOptions): Choices {
  const capabilities = runtime.getProvider(provider)?.capabilities;
  return {
    models: capabilities?.agentOptions === true ? models : undefined,
    presets: capabilities?.agentPreset === true ? presets : undefined,
  };
}

/** One object for each set of choices: whoever compiles a schema knows it again. */
function inputSchemas({ directories }: DelegateOptions): (choices: Choices) => JsonObject {
  const made = new Map<string, JsonObject>();
  return (choices) => {
    const key = `${choices.models !== undefined} ${choices.presets !== undefined}`;
    const schema = made.get(key) ?? inputSchema(choices, directories === true);
    made.set(key, schema);
    return schema;
  };
}

function inputSchema({ models, presets }: Choices, hasDirectories: boolean): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['description', 'prompt'],
    properties: {
      description: { type: 'string', minLength: 1, maxLength: 200, description: 'What people see: the task in a few words.' },
      prompt: { type: 'string', minLength: 1, description: 'The whole task.' },
      run_in_background: { type: 'boolean', description: 'True: return at once. False: wait for the answer.' },
      ...(hasDirectories && {
        cwd: { type: 'string', description: 'Working directory of the subagent; relative to your own.' },
      }),
      ...(models !== undefined && { model: { type: 'string', enum: [...models] } }),
      ...(presets !== undefined && { preset: { type: 'string', enum: [...presets] } }),
    },
  };
}

function parseInput(input: JsonValue, options: DelegateOptions): DelegateInput {
  const { description, prompt, run_in_background: background, cwd, model, preset, ...unknown } = readInput(input);
  if (typeof description !== 'string' || description === '') throw invalid('description is a non-empty text');
  if (typeof prompt !== 'string' || prompt === '') throw invalid('prompt is a non-empty text');
  if (background !== undefined && typeof background !== 'boolean') throw invalid('run_in_background is true or false');
  const strangers = Object.keys(unknown);
  if (strangers.length > 0)
    throw invalid(
      `unknown input: ${strangers
        .slice(0, 5)
        .map((key) => shortened(key))
        .join(', ')}`,
    );
  if (cwd !== undefined && (options.directories !== true || typeof cwd !== 'string')) throw invalid('cwd cannot be chosen here');
  const isLocal = options.runtime.getProvider(options.provider)?.prepareContinuable !== undefined;
  const { models, presets } = choicesOf(options);
  return {
    description,
    prompt,
    isBackground: background ?? options.background ?? isLocal,
    ...(cwd !== undefined && { cwd: cwd as string }),
    ...(model !== undefined && { model: chosen('model', model, models) }),
    ...(preset !== undefined && { preset: chosen('preset', preset, presets) }),
  };
}

function chosen(what: string, value: unknown, allowed: readonly string[] | undefined): string {
  if (typeof value === 'string' && allowed?.includes(value) === true) return value;
  throw invalid(allowed === undefined ? `${what} cannot be chosen here` : `${what} is one of ${allowed.join(', ')}`);
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
