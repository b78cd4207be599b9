/** `troupe run`: surveys a folder and prints the report. */
import { basename } from 'node:path';
import { defaultCapacity, defaultLimits, randomIds, type SessionStore, type SubagentResult, textOf } from '../../src/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes, Failure } from '../exit.ts';
import { openFolder } from '../folder.ts';
import { createHost } from '../host.ts';
import type { Io } from '../io.ts';
import { loadModel, type NamedModel } from '../model.ts';
import { openDatabase } from '../sessions/database.ts';
import { finishSurvey, interruptedSurvey } from '../sessions/interrupted.ts';
import { renderTask } from '../survey/task.ts';
import { Activity, type AgentActivity } from '../terminal/activity.ts';
import { printable, printableText } from '../terminal/printable.ts';
import { timeText } from '../terminal/time.ts';
import { secondsText } from '../terminal/tree.ts';
import { createView } from '../terminal/view.ts';
import type { Workspace } from '../workspace/workspace.ts';

type RunCommand = Extract<Command, { name: 'run' }>;

interface Survey {
  readonly sessionId: string;
  readonly result: SubagentResult;
  /** Whole, however large. */
  readonly report: string;
  readonly agents: readonly AgentActivity[];
  readonly elapsedMs: number;
}

export async function runCommand(command: RunCommand, io: Io): Promise<number> {
  const workspace = openFolder(command.folder, command.question === undefined);
  const model = await loadModel(command.model);
  const store = openDatabase(workspace.root);
  let survey: Survey;
  try {
    survey = await runSurvey({ command, io, workspace, model, store });
  } finally {
    await store.close();
  }
  await io.out(command.json ? jsonText(survey, model) : withNewline(printableText(survey.report)));
  io.screen.write(closingLine(survey));
  return exitOf(survey.result, model);
}

interface Work {
  readonly command: RunCommand;
  readonly io: Io;
  readonly workspace: Workspace;
  readonly model: NamedModel;
  readonly store: SessionStore;
}

async function runSurvey(work: Work): Promise<Survey> {
  const { command, io, workspace, model, store } = work;
  const startedAt = performance.now();
  const interrupted = command.isNew ? undefined : await interruptedSurvey(store, command.question);
  const id = interrupted?.header.id ?? randomIds().next();
  const label = printable(basename(workspace.root), 100) || 'folder';
  const activity = new Activity({ id, label }, () => performance.now());
  const view = createView(activity, io.screen);
  const faults = new Set<string>();
  let ending = 'aborted';
  const { runtime, composition } = createHost({ workspace, store, model, note: (line) => faults.add(line) });
  const subscription = runtime.events$.subscribe((event) => view.take(event));
  if (interrupted !== undefined)
    view.note(`continuing the survey of ${timeText(interrupted.header.createdAt)}, which was interrupted; --new begins another`);
  try {
    const root = await runtime.openAgent({ composition, id, cwd: workspace.root, label, signal: io.stop });
    const result =
      interrupted === undefined
        ? await root.ask(taskOf(command), { signal: io.stop })
        : await finishSurvey(runtime, root, io.stop);
    ending = result.stopReason;
    const report = textOf((await runtime.readResult(id)).output);
    return { sessionId: id, result, report, agents: activity.agents, elapsedMs: performance.now() - startedAt };
  } finally {
    await runtime.close();
    subscription.unsubscribe();
    activity.end(id, ending);
    view.stop();
    // a failure has a line of its own
    if (ending === 'completed') for (const fault of faults) view.note(fault);
  }
}

function taskOf({ question }: RunCommand): string {
  return renderTask({
    paths: ['.'],
    agentsBelow: defaultCapacity.perRoot,
    levelsBelow: defaultLimits.depthMax,
    answer: 'report',
    ...(question === undefined ? {} : { question }),
  });
}

/** A wrong name of a model shows only when the model is called. */
function exitOf({ stopReason, diagnostic }: SubagentResult, model: NamedModel): number {
  if (stopReason === 'completed') return exitCodes.ok;
  if (diagnostic?.includes('the model was not found') === true) {
    throw new Failure('modelUnknown', `the provider does not know the model ${model.name}`);
  }
  throw new Failure('notCompleted', `the survey ended as ${stopReason}${diagnostic === undefined ? '' : `: ${diagnostic}`}`);
}

function closingLine({ sessionId, agents, elapsedMs }: Survey): string {
  return `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}, ${secondsText(elapsedMs)}; session ${sessionId}\n`;
}

function jsonText({ sessionId, result, report, agents, elapsedMs }: Survey, model: NamedModel): string {
  const sum = (pick: (agent: AgentActivity) => number) => agents.reduce((total, agent) => total + pick(agent), 0);
  return `${JSON.stringify({
    session: sessionId,
    model: model.name,
    stopReason: result.stopReason,
    agents: agents.length,
    turns: sum(({ turns }) => turns),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    elapsedMs: Math.round(elapsedMs),
    report,
  })}\n`;
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
