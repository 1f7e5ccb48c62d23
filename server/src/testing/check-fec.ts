/** The decree's columns (LPF A47 A-1, VII), in its order. Written out again, so that the product's list is compared with it. */
const COLUMNS =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'.split(
    ' ',
  );

export type FecLine = Readonly<Record<string, string>>;

export type CheckedFec = {
  readonly lines: readonly FecLine[];
  /** Violations of the rules, each with its line; none in a sound file. */
  readonly faults: readonly string[];
  readonly debitCents: bigint;
  readonly creditCents: bigint;
};

/** Reads a file in the form of the FEC as an inspector's tool does, and names what is against the rules. */
export function checkFec(bytes: Buffer): CheckedFec {
  const faults: string[] = [];
  const fault = (line: number, text: string): number => faults.push(`${line}: ${text}`);
  const text = new TextDecoder('iso-8859-15').decode(bytes);
  const rows = text.split('\r\n');
  if (rows.pop() !== '') fault(rows.length, 'the last line has no end');
  if (rows.some((row) => /[\r\n]/u.test(row))) fault(0, 'a line ends otherwise than by CRLF');
  const [head = '', ...content] = rows;
  if (head !== COLUMNS.join('\t')) fault(1, `the head is ${head}`);
  const lines: FecLine[] = [];
  const sums = new Map<string, bigint>();
  let debitCents = 0n;
  let creditCents = 0n;
  let [lastNumber, lastDate] = [0, ''];
  const closed = new Set<string>();
  for (const [index, row] of content.entries()) {
    const at = index + 2;
    const cells = row.split('\t');
    if (cells.length !== COLUMNS.length) fault(at, `${cells.length} columns`);
    const line = Object.fromEntries(COLUMNS.map((name, place) => [name, cells[place] ?? '']));
    const of = (name: string): string => line[name] ?? '';
    lines.push(line);
    for (const name of ['JournalCode', 'JournalLib', 'EcritureNum', 'CompteLib', 'PieceRef', 'EcritureLib']) {
      if (of(name).trim() === '') fault(at, `${name} is empty`);
    }
    if (!/^[1-7]\d{2}[\dA-Z]*$/u.test(of('CompteNum'))) fault(at, `CompteNum is ${of('CompteNum')}`);
    for (const name of ['EcritureDate', 'PieceDate']) if (!isDay(of(name))) fault(at, `${name} is ${of(name)}`);
    for (const name of ['DateLet', 'ValidDate'])
      if (of(name) !== '' && !isDay(of(name))) fault(at, `${name} is no day`);
    if (of('ValidDate') !== '' && of('ValidDate') < of('EcritureDate')) fault(at, 'it is valid before its day');
    if ((of('EcritureLet') === '') !== (of('DateLet') === '')) fault(at, 'a letter without its day');
    if ((of('CompAuxNum') === '') !== (of('CompAuxLib') === '')) fault(at, 'an auxiliary account without its name');
    if ((of('Montantdevise') === '') !== (of('Idevise') === '')) fault(at, 'an amount without its currency');
    const [debit, credit] = [centsOf(of('Debit')), centsOf(of('Credit'))];
    if (debit === null || credit === null) fault(at, 'an amount is not written 1234,50');
    else {
      if ((debit === 0n) === (credit === 0n)) fault(at, 'not one side alone has an amount');
      debitCents += debit;
      creditCents += credit;
      sums.set(of('EcritureNum'), (sums.get(of('EcritureNum')) ?? 0n) + debit - credit);
    }
    const number = Number.parseInt(of('EcritureNum'), 10);
    if (number !== lastNumber && lastNumber !== 0 && number !== lastNumber + 1)
      fault(at, `${number} follows ${lastNumber}`);
    if (number !== lastNumber && closed.has(of('EcritureNum'))) fault(at, 'an entry stands in two places');
    closed.add(of('EcritureNum'));
    if (of('EcritureDate') < lastDate) fault(at, 'its day is before that of the entry before');
    [lastNumber, lastDate] = [number, of('EcritureDate')];
  }
  for (const [number, sum] of sums) if (sum !== 0n) faults.push(`entry ${number} is out of balance by ${sum} cents`);
  if (debitCents !== creditCents) faults.push('debits and credits differ');
  return { lines, faults, debitCents, creditCents };
}

function isDay(text: string): boolean {
  const day = /^(\d{4})(\d\d)(\d\d)$/u.exec(text)?.slice(1).join('-');
  return day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
}

function centsOf(text: string): bigint | null {
  return /^\d+,\d\d$/u.test(text) ? BigInt(text.replace(',', '')) : null;
}
