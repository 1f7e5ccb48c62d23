import type { DestinationStream } from 'pino';
import { styleText } from 'node:util';

type Line = {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
};

const COLOURS = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'gray',
  trace: 'gray',
} as const;

/** Formats the log's lines for a terminal: time, level, message, then the other fields, and errors below. */
export function textLines(stream: NodeJS.WritableStream): DestinationStream {
  return {
    write(json) {
      stream.write(asText(JSON.parse(json) as Line, (colour, text) => styleText(colour, text, { stream })));
    },
  };
}

type Style = (colour: 'red' | 'yellow' | 'green' | 'gray', text: string) => string;

function asText({ time, level, msg, err, ...fields }: Line, style: Style): string {
  const colour = COLOURS[level as keyof typeof COLOURS] ?? 'gray';
  const head = [style('gray', time), style(colour, level.padEnd(5)), sentenceOf(msg, fields)];
  const isRequest = msg === 'request';
  const details = Object.entries(fields)
    .filter(([name, value]) => value !== null && !(isRequest && REQUEST_FIELDS.has(name)))
    .map(([name, value]) => style('gray', `${name}=${visible(shown(value))}`));
  const lines = [[...head, ...details].join(' ')];
  const trace = err?.stack ?? err?.message;
  if (trace !== undefined) lines.push(...trace.split('\n').map((line) => `    ${visible(line)}`));
  return `${lines.join('\n')}\n`;
}

/** The unnamed fields at the start of a request's line; its address implies its route. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set(['method', 'url', 'route', 'status', 'ms']);

function sentenceOf(
  message: string | undefined,
  { method, url, status, ms }: Readonly<Record<string, unknown>>,
): string {
  return visible(message === 'request' ? [method, url, status, ms, 'ms'].join(' ') : (message ?? ''));
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/u.test(value) ? value : JSON.stringify(value);
}

/** Characters that could forge a line: they move the cursor, begin a line or reverse the direction of writing. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
