/** The driver in a real runtime, as a child's. */
import type { AgentTool } from '../../../agents/tool.ts';
import type { SubagentActivation, SubagentActivationSpec } from '../../../providers/contract.ts';
import { spawnProvider } from '../../../providers/spawn.ts';
import { createRuntime } from '../../../registry/create-runtime.ts';
import { textOf } from '../../../sessions/content.ts';
import type { SessionEvent, SessionEventType } from '../../../sessions/event.ts';
import { toSessionId } from '../../../sessions/ids.ts';
import { memoryStore } from '../../../sessions/stores/memory.ts';
import { refuses, same } from '../expect.ts';
import { type DriverBench, type DriverCase, soonMs, toolOf } from './bench.ts';
import { inOrder } from './history.ts';
import { call, hang, type PlayedScript, play, say, submit } from './script.ts';

const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } as const;

export const residentCases: readonly DriverCase[] = [
  {
    name: 'a child on it works, and what it recorded is in its log in order, between the start and the end of its turn',
    needs: ['say', 'call'],
    run: (bench) =>
      withChild(bench, play(call('look'), say('done')), { tools: [toolOf('look', () => 'seen')] }, async ({ child, typesOf }) => {
        const result = await bench.time.settled(child.result, 'the child comes to its end');
        same([result.stopReason, textOf(result.output)], ['completed', 'done'], 'the result is the last answer (S5.1)');
        const own: SessionEventType[] = ['turn/started', 'assistant/message', 'tool/results', 'assistant/message', 'turn/ended'];
        same(
          (await typesOf()).filter((type) => own.includes(type)),
          own,
          'the log holds start, answers, results and end in order',
        );
      }),
  },
  {
    name: 'an interrupted child ends its turn as aborted, is not given up, and is shown all of it when a message wakes it (S4.1, H-1)',
    needs: ['say', 'hang'],
    async run(bench) {
      const script = play(hang('half an answer'), say('and now whole'));
      await withChild(bench, script, {}, async ({ child, runtime, parent, log }) => {
        const { time } = bench;
        await time.until(() => script.calls.length === 1, 'the model is called');
        await time.rest();
        runtime.interrupt(child.childId, { kind: 'ancestor', agent: parent });
        const ends = async () => (await log()).filter((event) => event.type === 'turn/ended').map(({ data }) => data.stopReason);
        await time.until(async () => (await ends()).length === 1, 'the interrupted turn ends soon (I3)', soonMs - 1);
        same(await ends(), ['aborted'], 'the log says that the turn was aborted');
        await time.settled(child.result, 'a child with nothing left to do settles');
        await runtime.sendMessage(parent, child.childId, [{ type: 'text', text: 'the-second-task' }]);
        await time.until(async () => (await ends()).length === 2, 'the child works again');
        same((await ends())[1], 'completed', 'the next turn of an interrupted child completes');
        inOrder(script.calls[1] ?? [], ['the-task', 'the-second-task']);
      });
    },
  },
  {
    name: 'a child that is disposed during a tool call ends within its bounds, and nothing is in its log afterwards (S1.5, P05)',
    needs: ['say', 'call'],
    async run(bench) {
      const ends = Promise.withResolvers<string>();
      let runs = 0;
      const deaf = toolOf('deaf', () => {
        runs++;
        return ends.promise;
      });
      await withChild(bench, play(call('deaf'), say('done')), { tools: [deaf] }, async ({ child, log }) => {
        const { time } = bench;
        await time.until(() => runs === 1, 'the tool is started');
        await time.settled(child.dispose(), 'a disposed child is released without being given up', soonMs * 2);
        same((await time.settled(child.result, 'its result settles')).stopReason, 'aborted', 'a disposed child was aborted');
        const before = (await log()).length;
        ends.resolve('at last');
        await time.pass();
        same((await log()).length, before, 'nothing is recorded after disposal (P05)');
      });
    },
  },
  {
    name: 'a child whose session was taken over calls no model any more and writes nothing (S10.2)',
    needs: ['say', 'call'],
    async run(bench) {
      const store = memoryStore({ clock: bench.time.clock });
      const script = play(call('look'), say('not mine to say'));
      const started = Promise.withResolvers<SubagentActivation>();
      const look = toolOf('look', async () => {
        const id = toSessionId((await started.promise).childId);
        await store.handBack(id, (await store.head(id))?.epoch ?? 0);
        await store.claim(id, 'another process');
        return 'seen';
      });
      await withChild(bench, script, { tools: [look], store }, async ({ child, log }) => {
        started.resolve(child);
        await refuses(
          bench.time.settled(child.result, 'a fenced child ends'),
          'FENCED',
          'the result of a fenced child is FENCED',
        );
        same(script.calls.length, 1, 'a fenced child calls no model any more (S10.2)');
        const events = await log();
        same(events.filter(({ type }) => type === 'tool/results').length, 0, 'a fenced child writes nothing (P20)');
      });
    },
  },
  {
    name: 'a structured result of a child is whole in its result, and a child that ends without one has failed (S5.3, P26)',
    needs: ['say', 'submit'],
    async run(bench) {
      await withChild(bench, play(submit({ answer: 42 })), { outputSchema }, async ({ child }) => {
        const { stopReason, structured } = await bench.time.settled(child.result, 'the child comes to its end');
        same(
          { stopReason, structured },
          { stopReason: 'completed', structured: { answer: 42 } },
          'the value is the result (P26)',
        );
      });
      await withChild(bench, play(say('it is 42')), { outputSchema }, async ({ child }) => {
        const { stopReason, structured } = await bench.time.settled(child.result, 'the child comes to its end');
        same({ stopReason, structured }, { stopReason: 'error', structured: undefined }, 'prose is no structured result (S5.3)');
      });
    },
  },
];

interface ChildSetup extends Pick<SubagentActivationSpec['request'], 'outputSchema'> {
  readonly tools?: readonly AgentTool[];
  readonly store?: ReturnType<typeof memoryStore>;
}

interface ChildBench {
  readonly runtime: ReturnType<typeof createRuntime>;
  readonly parent: SubagentActivationSpec['request']['parent'];
  readonly child: SubagentActivation;
  log(): Promise<readonly SessionEvent[]>;
  typesOf(): Promise<readonly SessionEventType[]>;
}

/** Starts a child below an agent that does nothing itself, and closes everything behind it. */
async function withChild(
  { time, driverFor, options }: DriverBench,
  script: PlayedScript,
  { tools = [], outputSchema: schema, store = memoryStore({ clock: time.clock }) }: ChildSetup,
  run: (bench: ChildBench) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({ store, clock: time.clock, onFault: () => undefined });
  runtime.registerProvider(spawnProvider());
  const composition = { driver: await driverFor(script), tools, options };
  const root = await runtime.openAgent({ composition, cwd: '/project' });
  const request = {
    prompt: [{ type: 'text', text: 'the-task' }] as const,
    parent: root.agent,
    ...(schema !== undefined && { outputSchema: schema }),
  };
  const signal = new AbortController().signal;
  const starting = runtime.startActivation({ provider: 'spawn', label: 'worker', request, signal, delivery: 'caller' });
  const child = await time.settled(starting, 'the child is started');
  const log = () => store.read(toSessionId(child.childId));
  const typesOf = async () => (await log()).map(({ type }) => type);
  await run({ runtime, parent: root.agent, child, log, typesOf });
  await time.settled(runtime.close(), 'the runtime closes');
}
