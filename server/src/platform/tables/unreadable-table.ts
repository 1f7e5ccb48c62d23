import type { UnreadableCause } from '@parrain/domain/table-file';

/** A file that is no table: why, and where there is one the line at which reading ended. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable';
  readonly why: UnreadableCause;
  readonly line: number | null;

  constructor(why: UnreadableCause, line: number | null = null) {
    super(`No table: ${why}`);
    this.why = why;
    this.line = line;
  }
}
