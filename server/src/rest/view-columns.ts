/** A column of a view that is a table's column, unchanged. */
export type ViewSource = {
  readonly name: string;
  readonly table: number;
  readonly column: number;
};

/**
 * Reads the source of a view's columns from its stored rule (`pg_rewrite.ev_action`), whose outermost target list names it.
 * PostgreSQL offers no function for it; an unexpected text gives no source.
 */
export function viewSources(rule: string): ViewSource[] {
  const list = outermostTargetList(rule);
  if (list === null) return [];
  return entriesOf(list).flatMap((entry) => {
    // These fields come last, after the expression, so that those of expressions inside are not taken for them.
    const fields = /.*:resname (\S+) :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) :resjunk false\}$/su.exec(
      entry,
    );
    const [, name, table, column] = fields ?? [];
    if (name === undefined || table === undefined || column === undefined || table === '0') return [];
    return [{ name: name.replace(/\\(.)/gu, '$1'), table: Number(table), column: Number(column) }];
  });
}

const TARGET_LIST = ':targetList (';

function outermostTargetList(rule: string): string | null {
  // The rule is a list of one query, whose fields stand at depth two.
  let depth = 0;
  for (let at = 0; at < rule.length; at += 1) {
    const letter = rule[at];
    if (letter === '\\') at += 1;
    else if (letter === '(' || letter === '{') depth += 1;
    else if (letter === ')' || letter === '}') depth -= 1;
    else if (depth === 2 && rule.startsWith(TARGET_LIST, at)) {
      const start = at + TARGET_LIST.length;
      return rule.slice(start, closingAt(rule, start));
    }
  }
  return null;
}

function entriesOf(list: string): string[] {
  const entries: string[] = [];
  for (let at = list.indexOf('{'); at !== -1; at = list.indexOf('{', at)) {
    const end = closingAt(list, at + 1) + 1;
    entries.push(list.slice(at, end));
    at = end;
  }
  return entries;
}

/** The place of the bracket that closes what is open at `from`. */
function closingAt(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '\\') at += 1;
    else if (letter === '(' || letter === '{') depth += 1;
    else if (letter === ')' || letter === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}
