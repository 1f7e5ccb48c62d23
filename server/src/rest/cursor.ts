import { unparsable } from './rest-error.ts';
import type { RestError } from './rest-error.ts';

/** Parses a text from left to right and reports the position of what it cannot parse. */
export type Cursor = {
  readonly isAtEnd: () => boolean;
  readonly position: () => number;
  readonly rest: () => string;
  readonly lookingAt: (text: string) => boolean;
  /** Consumes `text` where it comes next. */
  readonly accept: (text: string) => boolean;
  readonly expect: (text: string) => void;
  /** Consumes the match of the sticky expression. */
  readonly match: (expression: RegExp) => string | null;
  readonly skipSpaces: () => void;
  /** Consumes a quoted text and gives it without its quotes; null where none comes next. */
  readonly quoted: () => string | null;
  /** The name of a column, a relation, an alias. */
  readonly name: () => string;
  /** Backtracks to a place given by `position`. */
  readonly backTo: (position: number) => void;
  readonly fail: (expected: string) => RestError;
  readonly expectEnd: () => void;
};

/** Letters, digits, `_`, `$` and spaces, joined by single dashes; a dash before `>` starts a JSON path. */
const NAME = /[\p{L}\p{M}\p{N}_$ ]+(?:-(?!>)[\p{L}\p{M}\p{N}_$ ]+)*/uy;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/uy;
const ESCAPED = /\\(["\\])/gu;

/** A cursor at the start of a text. @param what names the text in messages, such as `select parameter (…)`. */
export function cursorOn(text: string, what: string): Cursor {
  let at = 0;

  function fail(expected: string): RestError {
    const [found] = text.slice(at);
    return unparsable(
      what,
      at + 1,
      `unexpected ${found === undefined ? 'end of input' : JSON.stringify(found)} expecting ${expected}`,
    );
  }

  function match(expression: RegExp): string | null {
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (found === null) return null;
    at = expression.lastIndex;
    return found[0];
  }

  function accept(wanted: string): boolean {
    if (!text.startsWith(wanted, at)) return false;
    at += wanted.length;
    return true;
  }

  function quoted(): string | null {
    const found = match(QUOTED);
    return found === null ? null : unescaped(found.slice(1, -1));
  }

  return {
    isAtEnd: () => at >= text.length,
    position: () => at,
    rest: () => text.slice(at),
    lookingAt: (wanted) => text.startsWith(wanted, at),
    accept,
    expect(wanted) {
      if (!accept(wanted)) throw fail(JSON.stringify(wanted));
    },
    match,
    skipSpaces() {
      while (text[at] === ' ') at += 1;
    },
    quoted,
    name() {
      const inQuotes = quoted();
      if (inQuotes !== null) {
        if (inQuotes === '') throw fail('a name');
        return inQuotes;
      }
      const name = match(NAME)?.trim();
      if (name === undefined || name === '') throw fail('a name');
      return name;
    },
    backTo(position) {
      at = position;
    },
    fail,
    expectEnd() {
      if (at < text.length) throw fail('end of input');
    },
  };
}

/** The text without its escapes: only a quote and a backslash can be escaped. */
export function unescaped(text: string): string {
  return text.replace(ESCAPED, '$1');
}
