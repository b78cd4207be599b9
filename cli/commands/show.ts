/** `troupe show`: one session as its log has it. */
import { createRuntime, type SessionRecord, type TranscriptEntry, textOf } from '../../src/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes } from '../exit.ts';
import { openFolder } from '../folder.ts';
import type { Io } from '../io.ts';
import { findSession } from '../sessions/find.ts';
import { orphansIn, standingOf } from '../sessions/standing.ts';
import { printable, printableText } from '../terminal/printable.ts';
import { timeText } from '../terminal/time.ts';

type ShowCommand = Extract<Command, { name: 'show' }>;

export async function showCommand(command: ShowCommand, io: Io): Promise<number> {
  const { root } = openFolder(command.folder);
  const { store, head } = await findSession(root, command.id);
  const runtime = createRuntime({ store });
  try {
    const record = await runtime.readSession(head.header.id);
    const children = await runtime.listChildren(head.header.id);
    const { output } = await runtime.readResult(head.header.id);
    const result = textOf(output);
    await io.out(
      [
        headerText(record, standingOf(record.events, record.header, await orphansIn(store)), children.length),
        ...record.transcript.map(entryText),
        result === '' ? '== no result' : `== result\n${printableText(result)}`,
      ]
        .join('\n\n')
        .concat('\n'),
    );
  } finally {
    await runtime.close();
    await store.close();
  }
  return exitCodes.ok;
}

function headerText({ header, events }: SessionRecord, standing: string, children: number): string {
  const descriptor = events.find((event) => event.type === 'subagent/descriptor');
  const label = descriptor?.type === 'subagent/descriptor' ? descriptor.data.label : 'top-level agent';
  return [
    `session   ${header.id}`,
    `label     ${printable(label)}`,
    `started   ${timeText(header.createdAt)}`,
    `state     ${standing}`,
    `folder    ${printable(header.cwd)}`,
    `depth     ${header.delegationDepth}`,
    ...(header.parentSession === undefined ? [] : [`parent    ${header.parentSession}`]),
    `children  ${children}`,
    `events    ${events.length}`,
  ].join('\n');
}

const textMax = 1_000;
const detailMax = 160;

function entryText({ role, content }: TranscriptEntry): string {
  return `== ${role}\n${content.map((block) => blockText(block)).join('\n')}`;
}

function blockText(block: TranscriptEntry['content'][number]): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return cutText(block.text);
    case 'image':
      return `[${printable(block.mediaType, 60)}]`;
    case 'tool-call':
      return `→ ${printable(block.toolName, 60)} ${detailText(block.input)}`;
    case 'tool-result':
      return `← ${printable(block.toolName, 60)}${block.isError ? ' error' : ''} ${detailText(block.output)}`;
  }
}

function cutText(text: string): string {
  if (text.length <= textMax) return printableText(text);
  return `${printableText(text.slice(0, textMax))}\n… ${(text.length - textMax).toLocaleString('en-US')} more characters`;
}

function detailText(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value), detailMax);
}
