/** One line of what the bench prints: a figure, the limit measured beside it, and what they are to one another. */
export type Row = {
  readonly what: string;
  readonly ours: string;
  readonly limit?: string;
  readonly ratio?: string;
  readonly goal?: string;
};

export type Section = {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly notes?: readonly string[];
};

/** A section as Markdown, as the README quotes it. */
export function toMarkdown({ title, rows, notes = [] }: Section): string {
  const cells = rows.map(({ what, ours, limit = '', ratio = '', goal = '' }) => [what, ours, limit, ratio, goal]);
  const head = ['', 'Parrain', 'Limit', 'Ratio', 'Goal'];
  // Empty columns are not printed.
  const used = head.map((_, column) => column < 2 || cells.some((row) => row[column] !== ''));
  const line = (row: readonly string[]): string => `| ${row.filter((_, column) => used[column]).join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...cells.map(line)];
  return [`### ${title}`, '', ...lines, ...notes.flatMap((note) => ['', note])].join('\n');
}

export const perSecond = (value: number): string => `${grouped(value)}/s`;
export const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
export const seconds = (value: number): string => `${value.toFixed(2)} s`;
export const mebibytes = (value: number): string => `${Math.round(value)} MiB`;
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
export const times = (value: number): string => `${value.toFixed(2)} ×`;
