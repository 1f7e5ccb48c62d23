/** One step into a JSON value: `->` (JSON) or `->>` (text). */
export type JsonStep = {
  readonly key: string | number;
  readonly asText: boolean;
};

export type Field = {
  readonly name: string;
  readonly path: readonly JsonStep[];
};

export type Join = 'left' | 'inner';

export type EmbedTarget = {
  readonly target: string;
  readonly hint: string | null;
  readonly join: Join;
  readonly items: readonly SelectItem[];
};

export type SelectItem =
  | { readonly kind: 'all' }
  | { readonly kind: 'column'; readonly field: Field; readonly alias: string | null; readonly cast: string | null }
  | ({ readonly kind: 'embed'; readonly alias: string | null } & EmbedTarget)
  | ({ readonly kind: 'spread' } & EmbedTarget);

/** Operators that take one operand, and may take a list of them with `(any)` or `(all)`. */
export const QUANTIFIABLE = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch'] as const;
export const PLAIN = ['neq', 'isdistinct', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'] as const;
export const TEXT_SEARCH = ['fts', 'plfts', 'phfts', 'wfts'] as const;
export const IS_VALUES = ['null', 'not_null', 'true', 'false', 'unknown'] as const;

export type Comparison =
  | { readonly operator: (typeof PLAIN)[number]; readonly operand: string }
  | {
      readonly operator: (typeof QUANTIFIABLE)[number];
      readonly quantifier: 'any' | 'all' | null;
      readonly operand: string;
    }
  | { readonly operator: (typeof TEXT_SEARCH)[number]; readonly config: string | null; readonly operand: string }
  | { readonly operator: 'in'; readonly members: readonly string[] }
  | { readonly operator: 'is'; readonly value: (typeof IS_VALUES)[number] };

export type Condition =
  | { readonly kind: 'compare'; readonly negated: boolean; readonly field: Field; readonly comparison: Comparison }
  | {
      readonly kind: 'logic';
      readonly negated: boolean;
      readonly operator: 'and' | 'or';
      readonly conditions: readonly Condition[];
    };

export type OrderTerm = {
  readonly field: Field;
  /** The embedded to-one relation whose column orders the parents. */
  readonly relation: string | null;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
};

/** A part of the request that shapes one level: the root where the path is empty, else the embed it leads to. */
export type At<Part> = { readonly path: readonly string[] } & Part;

/** A parsed query string, before any name is resolved. */
export type ParsedQuery = {
  readonly select: readonly SelectItem[];
  readonly filters: readonly At<{ readonly condition: Condition }>[];
  readonly orders: readonly At<{ readonly terms: readonly OrderTerm[] }>[];
  readonly limits: readonly At<{ readonly count: number }>[];
  readonly offsets: readonly At<{ readonly count: number }>[];
  readonly columns: readonly string[] | null;
  readonly onConflict: readonly string[] | null;
};
