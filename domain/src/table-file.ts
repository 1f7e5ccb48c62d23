// Reading options of a spreadsheet file: imports (EX-04) and the bank’s report (PO-02).

export const separators = [';', '\t', ',', '|'] as const;
export type Separator = (typeof separators)[number];
export const separatorLabels: Readonly<Record<Separator, string>> = {
  ';': 'Point-virgule ( ; )',
  '\t': 'Tabulation',
  ',': 'Virgule ( , )',
  '|': 'Barre ( | )',
};

export const textEncodings = ['utf-8', 'windows-1252', 'macintosh', 'cp850', 'utf-16le', 'utf-16be'] as const;
export type TextEncoding = (typeof textEncodings)[number];
export const textEncodingLabels: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'Unicode (UTF-8)',
  'windows-1252': 'Windows (Europe de l’Ouest)',
  macintosh: 'Mac (Europe de l’Ouest)',
  cp850: 'DOS (Europe de l’Ouest)',
  'utf-16le': 'Unicode (UTF-16)',
  'utf-16be': 'Unicode (UTF-16, ordre inverse)',
};

/** Lines at the head of a file among which its titles are looked for. */
export const headLinesMax = 20;

/** Reading options that a person sets, in place of those that were detected. */
export interface TableChoice {
  readonly sheet?: string;
  readonly separator?: Separator;
  readonly encoding?: TextEncoding;
}

export interface TableSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Options that a file was read with. */
export interface TableReading {
  /** Of a workbook. */
  readonly sheets: readonly TableSheet[];
  readonly sheet: string | null;
  /** Of a text. */
  readonly separator: Separator | null;
  readonly encoding: TextEncoding | null;
  /** The first line with a character of another encoding, read as Windows has it. */
  readonly oddLine: number | null;
  /** Columns beyond those that are read. */
  readonly columnsLeft: number;
}

const causes = {
  picture: 'Ce fichier est une image',
  pdf: 'Ce fichier est un PDF',
  vcard: 'Ce fichier est un carnet d’adresses (vCard) : exportez vos contacts en CSV',
  calendar: 'Ce fichier est un agenda',
  page: 'Ce fichier est une page web ou un XML',
  document: 'Ce fichier est un document de texte ou une présentation',
  archive: 'Ce fichier est une archive ZIP : donnez le fichier qu’elle contient',
  old_excel: 'Ce fichier est d’un ancien Excel (.xls)',
  encrypted: 'Ce classeur est protégé par un mot de passe',
  damaged: 'Ce classeur est abîmé ou incomplet',
  unpacked: 'Ce fichier est trop volumineux une fois ouvert : supprimez ses feuilles et ses lignes inutiles',
  quote: 'Un guillemet ouvert n’est jamais fermé',
  other: 'Ce fichier n’est pas reconnu',
} as const;
export type UnreadableCause = keyof typeof causes;

/** Why a file is no table, in a sentence that has no end yet: « Ce fichier est un PDF ». */
export function unreadableSentence(cause: unknown, line: unknown): string {
  const sentence =
    typeof cause === 'string' && Object.hasOwn(causes, cause) ? causes[cause as UnreadableCause] : causes.other;
  return typeof line === 'number' ? `${sentence} (ligne ${line})` : sentence;
}
