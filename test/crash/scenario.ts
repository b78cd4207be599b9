/**
 * What happens between start and crash: a tree of three levels that uses every way to start, tell, stop and wake an agent. The
 * scenario says of each message when its id was told to the caller; what becomes of those is for checks.ts to judge.
 */
import type { AgentComposition } from '../../src/agents/composition.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { createRuntime, type RuntimeOptions } from '../../src/registry/create-runtime.ts';
import type { SubagentRuntime } from '../../src/registry/runtime.ts';
import type { OpenAgent } from '../../src/registry/top-level-handle.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';
import { type Gate, gate } from '../support/gate.ts';
import { type ScriptedDriver, scriptedDriver } from '../support/scripted-driver.ts';
import { callsTogether, callsTool, type Step, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';

export const rootId = 'crash-root';

/** Where the outcome of the scenario is written down, so that it survives the crash. */
export interface Witness {
  /** The id of a message that was accepted: its promise has resolved. */
  told(messageId: string): void;
  /** A tool has had its effect outside. */
  effect(key: string): void;
}

export interface Stage {
  readonly runtime: SubagentRuntime;
  readonly driver: ScriptedDriver;
  readonly composition: AgentComposition;
  readonly faults: string[];
}

/** A runtime on `store` whose agents say `ok` when their script is at its end. */
export function openStage(store: SessionStore, witness: Witness, ports: Pick<RuntimeOptions, 'clock' | 'ids'> = {}): Stage {
  const driver = scriptedDriver();
  driver.otherwise(takesSteering(), saysOwn('ok'));
  const faults: string[] = [];
  const runtime = createRuntime({
    ...ports,
    store,
    onFault: ({ where, error }) => void faults.push(`${where}: ${String(error)}`),
  });
  runtime.registerProvider(spawnProvider());
  runtime.registerProvider(forkProvider());
  const effect: AgentTool = {
    name: 'effect',
    description: 'has an effect outside',
    inputSchema: { type: 'object' },
    async execute(_, call) {
      witness.effect(call.idempotencyKey);
      return 'done';
    },
  };
  const tools = [
    delegateTool({ runtime, provider: 'spawn' }),
    delegateTool({ runtime, provider: 'fork', name: 'fork' }),
    sendMessageTool({ runtime }),
    effect,
  ];
  return { runtime, driver, composition: { driver, tools }, faults };
}

export function openCrashRoot({ runtime, composition }: Stage): Promise<OpenAgent> {
  return runtime.openAgent({ id: rootId, label: 'root', cwd: '/project', composition });
}

/** Words that nobody else says: whoever hears them twice was told twice. */
function saysOwn(text: string): Step {
  return (turn, record) => says(`[${text} of ${turn.agent.label} ${turn.turnId}]`)(turn, record);
}

function delegates(description: string, isBackground: boolean): readonly [string, { [key: string]: string | boolean }] {
  return ['delegate', { description, prompt: `the task of ${description}`, run_in_background: isBackground }];
}

/** Runs from an empty store to the closed runtime. Never returns if the store makes an end of it before. */
export async function playScenario(stage: Stage, store: SessionStore, witness: Witness): Promise<void> {
  const gates = { talk: gate(), leaf: gate(), doomed: gate(), late: gate() };
  writeScripts(stage.driver, gates);
  const root = await openCrashRoot(stage);
  await delegating(stage, root, witness, gates);
  await resuming(stage, root, witness, gates);
  await disposing(stage, root, witness, gates);
  await stage.runtime.close();
  await store.close();
}

type Gates = Readonly<Record<'talk' | 'leaf' | 'doomed' | 'late', Gate>>;

function writeScripts(driver: ScriptedDriver, gates: Gates): void {
  driver.script(
    'root',
    [
      says('planning'),
      callsTogether(delegates('waited', false), delegates('free', true), ['effect', {}]),
      takesSteering(),
      callsTool('effect'),
      saysOwn('first turn'),
    ],
    [takesSteering(), callsTool('fork', { description: 'forked', prompt: 'go on', run_in_background: true }), saysOwn('second')],
  );
  driver.script(
    'waited',
    [
      callsTogether(delegates('waited-leaf', false), delegates('free-leaf', true)),
      callsTool('effect'),
      takesSteering(),
      saysOwn('answer'),
    ],
    [takesSteering(), saysOwn('heard')],
  );
  driver.script('waited-leaf', [callsTool('effect'), saysOwn('leaf')]);
  driver.script('free-leaf', [toParent('from below'), callsTool('effect'), saysOwn('leaf')]);
  driver.script('free', [
    says('waiting for a word'),
    waitsAt(gates.talk),
    takesSteering(),
    callsTogether(delegates('held-leaf', true), ['effect', {}]),
    saysOwn('started one'),
  ]);
  driver.script('held-leaf', [says('at it'), waitsAt(gates.leaf), saysOwn('never said')]);
  driver.script('forked', [
    toParent('from the fork'),
    callsTogether(delegates('fork-leaf', false), ['effect', {}]),
    saysOwn('forked'),
  ]);
  driver.script('doomed', [callsTogether(delegates('doomed-leaf', true)), waitsAt(gates.doomed), saysOwn('never said')]);
  driver.script('doomed-leaf', [says('at it'), waitsAt(gates.doomed), saysOwn('never said')]);
  const inCrowd: Step[] = [callsTool('effect'), callsTogether(delegates('crowd-leaf', false), ['effect', {}]), saysOwn('crowd')];
  driver.script('crowd', inCrowd, inCrowd, inCrowd, inCrowd);
  driver.script('late', [waitsAt(gates.late), takesSteering(), toParent('late word'), saysOwn('late')]);
}

function toParent(message: string): Step {
  return (turn, record) =>
    callsTool('send_message', { agent_id: turn.header.parentSession ?? '', message: `${message} ${turn.turnId}` })(turn, record);
}

/** Foreground and background children, messages down and up, a person's prompts, an interrupt. */
async function delegating({ runtime, driver }: Stage, root: OpenAgent, witness: Witness, gates: Gates): Promise<void> {
  witness.told(await root.prompt('start'));
  const { id: childId } = (await driver.turn('free')).agent;
  const parentId = root.id;
  const content = [{ type: 'text', text: 'a word' }] as const;
  witness.told(await runtime.sendMessage(root.agent, childId, content));
  const steer = { parentId, childId, delivery: 'steer', requestId: 'steer', content } as const;
  witness.told(await runtime.prompt(steer));
  const queue = { ...steer, delivery: 'queue', requestId: 'queue' } as const;
  witness.told(await runtime.prompt(queue));
  await Promise.all([runtime.prompt(queue), runtime.prompt(steer)]); // repeats: nothing more is delivered
  gates.talk.open();
  const held = await driver.turn('held-leaf');
  witness.told(await root.inject('context beside it'));
  runtime.interrupt(held.agent.id, { kind: 'ancestor', agent: root.agent });
  await root.whenQuiet();
}

/** Cold resumes by parent and by person, one of them steered while it runs. */
async function resuming({ runtime, driver }: Stage, root: OpenAgent, witness: Witness, gates: Gates): Promise<void> {
  const waitedId = (await driver.turn('waited')).agent.id;
  witness.told(await runtime.sendMessage(root.agent, waitedId, [{ type: 'text', text: 'once more' }]));
  const queue = {
    parentId: root.id,
    childId: waitedId,
    delivery: 'queue',
    content: [{ type: 'text', text: 'and you' }],
  } as const;
  witness.told(await runtime.prompt({ ...queue, requestId: 'cold' }));
  await root.whenQuiet();
  driver.script('root', [
    callsTogether(delegates('crowd', true), delegates('crowd', true), delegates('crowd', false), delegates('crowd', false)),
    takesSteering(),
    saysOwn('all told'),
  ]);
  witness.told(await root.prompt('go on'));
  await root.whenQuiet();
  const late = await startChild(runtime, root, 'late');
  witness.told(late.messageId ?? '');
  await driver.turn('late');
  const words = ['one', 'two', 'three'].map((text) => runtime.sendMessage(root.agent, late.childId, [{ type: 'text', text }]));
  for (const word of await Promise.allSettled(words)) {
    if (word.status === 'rejected') throw word.reason;
    witness.told(word.value);
  }
  gates.late.open();
  await late.result;
  await root.whenQuiet();
}

/** A child with a child of its own and mail that nobody claims is disposed; then one more is started and closed with the rest. */
async function disposing({ runtime, driver }: Stage, root: OpenAgent, witness: Witness, gates: Gates): Promise<void> {
  const doomed = await startChild(runtime, root, 'doomed');
  witness.told(doomed.messageId ?? '');
  await driver.turn('doomed-leaf');
  witness.told(await runtime.sendMessage(root.agent, doomed.childId, [{ type: 'text', text: 'in vain' }]));
  const queue = {
    parentId: root.id,
    childId: doomed.childId,
    delivery: 'queue',
    content: [{ type: 'text', text: 'too' }],
  } as const;
  witness.told(await runtime.prompt({ ...queue, requestId: 'vain' }));
  await doomed.dispose();
  gates.doomed.open();
  await root.whenQuiet();
  witness.told(await root.prompt('the last word'));
  await root.whenQuiet();
}

function startChild(runtime: SubagentRuntime, root: OpenAgent, label: string) {
  return runtime.startActivation({
    provider: 'spawn',
    label,
    delivery: 'parent',
    signal: new AbortController().signal,
    request: { parent: root.agent, prompt: [{ type: 'text', text: `the task of ${label}` }] },
  });
}
