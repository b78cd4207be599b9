/**
 * What drivers see and say, against the logs: a model is shown only what is in the store, and its turn ends as its driver said
 * (S3.5, S5.2, S10.1, R2).
 */
import type { Turn, TurnEnd } from '../../../src/agents/driver.ts';
import { type ContentBlock, textOf } from '../../../src/sessions/content.ts';
import type { SessionEvent, SubagentStopReason } from '../../../src/sessions/event.ts';
import type { InboxMessage } from '../../../src/sessions/message.ts';
import { foldTranscript, toUserEntry } from '../../../src/sessions/transcript.ts';
import { recordedSessions } from '../../../src/testing/simulation/recorded.ts';
import type { Checker, Simulation } from '../../../src/testing/simulation/simulation.ts';
import { isSame } from '../../../src/testing/trace/same.ts';

/** The diagnostic of a turn whose own end the store did not take. */
const unwritten = 'the session could not be written';

/** Events of a log that is held against what a model knows: each time it costs as much as there are. */
const recalledMax = 500;

interface Said {
  readonly stopReason: SubagentStopReason;
  /** It had been asked to stop by then. */
  readonly isStopped: boolean;
  readonly isAskedForResult: boolean;
}

export class Turns {
  readonly #simulation: Simulation;
  readonly #said = new Map<string, Said>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** The model is shown messages: those that open its turn, or that came meanwhile. */
  async show(turn: Turn, messages: readonly InboxMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const { turnId, agent, header } = turn;
    const log = await this.#simulation.database.image.read(agent.id, header.inheritedEvents);
    const claimed = new Set(
      log.flatMap((event) => (event.type === 'inbox/claimed' && event.data.turnId === turnId ? event.data.messageIds : [])),
    );
    const early = messages.filter(({ messageId }) => !claimed.has(messageId));
    for (const { messageId } of early)
      this.#simulation.say(`${agent.id} was shown ${messageId} before its claim was in the store (S3.5)`);
    for (const { messageId, content } of messages)
      if (textOf(content) !== textOf(contentIn(log, messageId)))
        this.#simulation.say(`${agent.id} was shown ${messageId} as “${textOf(content)}”, which is not what its log says (S3.8)`);
  }

  /** What the model knows of the past is the beginning of what the store says, with all that this turn was opened with. */
  async recall(turn: Turn): Promise<void> {
    const { agent, input } = turn;
    const { image } = this.#simulation.database;
    if (((await image.head(agent.id))?.seq ?? 0) > recalledMax) return;
    const history = (await turn.history()).filter(({ role }) => role !== 'tool');
    const stored = foldTranscript(await image.read(agent.id)).filter(({ role }) => role !== 'tool');
    const isTrue = history.length <= stored.length && history.every((entry, place) => isSame(entry, stored[place]));
    if (!isTrue) this.#simulation.say(`${agent.id} has another history than its log (S10.1)`);
    const missing = input.find((message) => !history.some((entry) => isSame(entry, toUserEntry(message))));
    if (missing !== undefined) this.#simulation.say(`${agent.id} has a history without ${missing.messageId} (S3.5)`);
  }

  /** The driver has come to its end, or has thrown. */
  end({ turnId, signal, outputSchema }: Turn, end: TurnEnd | undefined): void {
    const stopReason = end?.stopReason ?? 'error';
    this.#said.set(turnId, { stopReason, isStopped: signal.aborted, isAskedForResult: outputSchema !== undefined });
  }

  readonly checker: Checker = {
    ended: async () => {
      for (const { header, events } of await recordedSessions(this.#simulation)) {
        for (const event of events.slice(header.inheritedEvents)) {
          if (event.type !== 'turn/ended' || event.data.isInterrupted === true) continue;
          const { turnId, stopReason, diagnostic } = event.data;
          const said = this.#said.get(turnId);
          if (!mayEnd(stopReason, said) && diagnostic !== unwritten)
            this.#simulation.say(
              `turn ${turnId} ended ${stopReason}, and its driver said ${said?.stopReason ?? 'nothing'} (S5.2)`,
            );
        }
      }
    },
  };
}

/** As it was accepted, or last changed. */
function contentIn(log: readonly SessionEvent[], id: string): readonly ContentBlock[] {
  const last = log.findLast(
    (event) => (event.type === 'inbox/inserted' || event.type === 'inbox/edited') && event.data.messageId === id,
  );
  return last?.type === 'inbox/inserted' || last?.type === 'inbox/edited' ? last.data.content : [];
}

/** One that was given up, or stopped before its driver was called, is aborted without a word of its driver. */
function mayEnd(stopReason: SubagentStopReason, said: Said | undefined): boolean {
  if (said === undefined) return stopReason === 'aborted';
  if (said.isStopped && stopReason === 'aborted') return true;
  if (said.stopReason === stopReason) return true;
  return said.stopReason === 'completed' && said.isAskedForResult && stopReason === 'error';
}
