import type { CompanyAccount } from '@parrain/domain/forms/company-payments';
import { sepaNameLengthMax } from '@parrain/domain/forms/limits';
import { sum, toWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import type { AccountAbroad } from '@parrain/domain/payment-request';
import { sepaReference, sepaText } from '@parrain/domain/sepa';
import type { SepaFormat } from '@parrain/domain/sepa';

/** A credit transfer of a batch. */
export type TransferOrder = {
  readonly requestId: string;
  readonly amount: Cents;
  /** The account's holder, as they wrote it. */
  readonly name: string;
  readonly iban: string;
  /** Outside the European Economic Area (AC-09). */
  readonly abroad?: AccountAbroad | undefined;
};

export type BatchOrder = {
  readonly batchId: string;
  readonly format: SepaFormat;
  /** « 2026-11-23T01:53:30 », of France. */
  readonly madeAt: string;
  /** A bank day, « 2026-11-24 ». */
  readonly executionOn: string;
  readonly debtor: CompanyAccount;
  readonly companyName: string;
  readonly transfers: readonly TransferOrder[];
};

const REMITTANCE_LENGTH_MAX = 140;

/**
 * The file pain.001.001.09 (or .03) that asks a bank for SEPA credit transfers (PO-01): one payment information, one execution day,
 * a BIC where the company gave its own, BIC and address of a payee outside the European Economic Area (AC-09). The same order gives the same bytes.
 * @throws Error where a name has no letter that a bank takes: the screen has left such a transfer out.
 */
export function creditTransfers(order: BatchOrder): string {
  const { format, debtor, transfers } = order;
  const id = sepaReference(order.batchId);
  const totals =
    element('NbOfTxs', String(transfers.length)) +
    element('CtrlSum', toWire(sum(transfers.map(({ amount }) => amount))));
  const holder = named(debtor.holder);
  const remittance = sepaText(`Parrainage ${order.companyName}`, REMITTANCE_LENGTH_MAX);
  const bank = debtor.bic === null ? element('Othr', element('Id', 'NOTPROVIDED')) : bicElement(debtor.bic, format);
  const day = format === '09' ? element('Dt', order.executionOn) : order.executionOn;
  const header = element(
    'GrpHdr',
    element('MsgId', id) + element('CreDtTm', order.madeAt) + totals + element('InitgPty', holder),
  );
  const payment = [
    element('PmtInfId', id),
    element('PmtMtd', 'TRF'),
    element('BtchBookg', 'true'),
    totals,
    element('PmtTpInf', element('SvcLvl', element('Cd', 'SEPA'))),
    element('ReqdExctnDt', day),
    element('Dbtr', holder),
    element('DbtrAcct', element('Id', element('IBAN', debtor.iban))),
    element('DbtrAgt', element('FinInstnId', bank)),
    element('ChrgBr', 'SLEV'),
    ...transfers.map((transfer) => `\n${transferElement(transfer, remittance, format)}`),
  ].join('');
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.${format}">` +
    `${element('CstmrCdtTrfInitn', header + element('PmtInf', payment))}</Document>\n`
  );
}

function transferElement(
  { requestId, amount, name, iban, abroad }: TransferOrder,
  remittance: string,
  format: SepaFormat,
): string {
  return element(
    'CdtTrfTxInf',
    element('PmtId', element('EndToEndId', sepaReference(requestId))) +
      element('Amt', `<InstdAmt Ccy="EUR">${toWire(amount)}</InstdAmt>`) +
      (abroad ? element('CdtrAgt', element('FinInstnId', bicElement(abroad.bic, format))) : '') +
      element('Cdtr', named(name) + (abroad ? addressElement(abroad) : '')) +
      element('CdtrAcct', element('Id', element('IBAN', iban))) +
      element('RmtInf', element('Ustrd', remittance === '' ? 'Parrainage' : remittance)),
  );
}

function bicElement(bic: string, format: SepaFormat): string {
  return element(format === '09' ? 'BICFI' : 'BIC', bic);
}

/** A postal address, structured: banks take no other from November 2026 on. */
function addressElement({ street, postalCode, city, country }: AccountAbroad): string {
  return element(
    'PstlAdr',
    element('StrtNm', sepaText(street, 70)) +
      element('PstCd', sepaText(postalCode, 16)) +
      element('TwnNm', sepaText(city, 35)) +
      element('Ctry', country),
  );
}

function named(name: string): string {
  const text = sepaText(name, sepaNameLengthMax);
  if (text === '') throw new Error('A transfer needs a name in Latin letters');
  return element('Nm', text);
}

/** Nothing to escape: what comes here is of SEPA's characters, which have none of XML's. */
function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}
