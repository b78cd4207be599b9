/** Shows on standard error what the agents do: a tree that is drawn again where there is a terminal, else one line for each start, end, message from above and interruption. */
import { type SubagentEvent, textOf } from '../../src/index.ts';
import type { Activity, AgentActivity } from './activity.ts';
import { printable } from './printable.ts';
import { agentLine, countsText, treeLines } from './tree.ts';

/** What a view writes to; `process.stderr` is one. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface View {
  take(event: SubagentEvent): void;
  /** One line beside the view. */
  note(line: string): void;
  /** Draws the last state and leaves the cursor below it. Idempotent; nothing is drawn afterwards. */
  stop(): void;
}

export function createView(activity: Activity, screen: Screen): View {
  return screen.isTTY === true ? treeView(activity, screen) : lineView(activity, screen);
}

function lineView(activity: Activity, screen: Screen): View {
  const say = (agent: AgentActivity, text: string) => screen.write(`${'  '.repeat(agent.depth)}${text}\n`);
  return {
    take(event) {
      const agent = activity.take(event);
      if (agent === undefined) return;
      const label = printable(agent.label, 120);
      if (event.type === 'subagent/start') say(agent, `started ${label}`);
      if (event.type === 'subagent/end') say(agent, `${event.stopReason} ${label}: ${countsText(activity, agent)}`);
      if (event.type !== 'session/appended') return;
      for (const { type, data } of event.events) {
        if (type === 'turn/ended' && agent.state === 'interrupted') say(agent, `interrupted ${label}`);
        if (type === 'inbox/inserted' && data.source.kind === 'agent-message' && data.source.senderSessionId === agent.parentId)
          say(agent, `steered ${label}: ${printable(textOf(data.content), 120)}`);
      }
    },
    note: (line) => screen.write(`${printable(line, 500)}\n`),
    stop: () => undefined,
  };
}

/** Ten times a second at most, and while nothing happens, so that the seconds go on. */
const redrawMs = 100;
const control = '\u001b[';
const wrapOff = `${control}?7l`;
const wrapOn = `${control}?7h`;

function treeView(activity: Activity, screen: Screen): View {
  let drawnLines = 0;
  let isStopped = false;
  const erase = () => (drawnLines === 0 ? '' : `${control}${drawnLines}A\r${control}J`);
  const draw = (before = '') => {
    const lines = treeLines(activity, (screen.rows ?? 24) - 1, screen.columns ?? 80);
    screen.write(`${wrapOff}${erase()}${before}${lines.join('\n')}\n${wrapOn}`);
    drawnLines = lines.length;
  };
  const timer = setInterval(() => draw(), redrawMs).unref();
  return {
    take: (event) => void activity.take(event),
    note: (line) => {
      const text = `${printable(line, 500)}\n`;
      if (isStopped) screen.write(text);
      else draw(text);
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      const [root] = activity.agents;
      if (root !== undefined)
        screen.write(
          `${wrapOff}${erase()}${treeLines(activity, 1_000, screen.columns ?? 80).join('\n') || agentLine(activity, root)}\n${wrapOn}`,
        );
    },
  };
}
