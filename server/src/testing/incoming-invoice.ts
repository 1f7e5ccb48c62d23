import PDFDocument from 'pdfkit';

/** Words and amounts that a payee's own software writes into an invoice. */
export type IncomingInvoice = {
  readonly number: string;
  /** « 2026-11-23 ». */
  readonly day: string;
  readonly type?: string;
  readonly currency?: string;
  readonly amount: string;
  readonly vat: string;
  readonly total: string;
  readonly due?: string;
  readonly seller?: { readonly siren?: string; readonly vat?: string; readonly iban?: string };
  readonly buyer?: string;
};

const BUYER = '732829320';

/** UN/CEFACT CII, as short as a reader can ask for. */
export function ciiInvoice(invoice: IncomingInvoice): string {
  const { number, day, type = '380', currency = 'EUR', amount, vat, total, due = total, seller = {} } = invoice;
  const tag = (name: string, content: string | undefined, attributes = ''): string =>
    content === undefined ? '' : `<ram:${name}${attributes}>${content}</ram:${name}>`;
  const legal = (siren: string | undefined): string =>
    siren === undefined ? '' : tag('SpecifiedLegalOrganization', tag('ID', siren, ' schemeID="0002"'));
  const account =
    seller.iban &&
    tag(
      'SpecifiedTradeSettlementPaymentMeans',
      tag('TypeCode', '58') + tag('PayeePartyCreditorFinancialAccount', tag('IBANID', seller.iban)),
    );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" ' +
    'xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">' +
    `<rsm:ExchangedDocument>${tag('ID', number)}${tag('TypeCode', type)}` +
    `<ram:IssueDateTime><udt:DateTimeString format="102">${day.replaceAll('-', '')}</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>` +
    '<rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement>' +
    tag(
      'SellerTradeParty',
      tag('Name', 'Bois &amp; Fils') +
        legal(seller.siren) +
        tag('SpecifiedTaxRegistration', seller.vat && tag('ID', seller.vat, ' schemeID="VA"')),
    ) +
    tag('BuyerTradeParty', tag('Name', 'Lumeo') + legal(invoice.buyer ?? BUYER)) +
    '</ram:ApplicableHeaderTradeAgreement><ram:ApplicableHeaderTradeDelivery/><ram:ApplicableHeaderTradeSettlement>' +
    `${tag('InvoiceCurrencyCode', currency)}${account ?? ''}` +
    tag(
      'SpecifiedTradeSettlementHeaderMonetarySummation',
      tag('TaxBasisTotalAmount', amount) +
        tag('TaxTotalAmount', vat, ` currencyID="${currency}"`) +
        tag('GrandTotalAmount', total) +
        tag('DuePayableAmount', due),
    ) +
    '</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>\n'
  );
}

/** The same in UBL. */
export function ublInvoice(invoice: IncomingInvoice, root: 'Invoice' | 'CreditNote' = 'Invoice'): string {
  const { number, day, type = '380', currency = 'EUR', amount, vat, total, due = total, seller = {} } = invoice;
  const legal = (siren: string | undefined): string =>
    siren === undefined
      ? ''
      : `<cac:PartyLegalEntity><cbc:RegistrationName>Bois</cbc:RegistrationName><cbc:CompanyID schemeID="0002">${siren}</cbc:CompanyID></cac:PartyLegalEntity>`;
  const tax =
    seller.vat === undefined
      ? ''
      : `<cac:PartyTaxScheme><cbc:CompanyID>${seller.vat}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" ` +
    'xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">' +
    `<cbc:ID>${number}</cbc:ID><cbc:IssueDate>${day}</cbc:IssueDate><cbc:${root}TypeCode>${type}</cbc:${root}TypeCode><cbc:DocumentCurrencyCode>${currency}</cbc:DocumentCurrencyCode>` +
    `<cac:AccountingSupplierParty><cac:Party>${tax}${legal(seller.siren)}</cac:Party></cac:AccountingSupplierParty>` +
    `<cac:AccountingCustomerParty><cac:Party>${legal(invoice.buyer ?? BUYER)}</cac:Party></cac:AccountingCustomerParty>` +
    (seller.iban === undefined
      ? ''
      : `<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>${seller.iban}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>`) +
    `<cac:TaxTotal><cbc:TaxAmount currencyID="${currency}">${vat}</cbc:TaxAmount></cac:TaxTotal>` +
    `<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="${currency}">${amount}</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="${currency}">${total}</cbc:TaxInclusiveAmount>` +
    `<cbc:PayableAmount currencyID="${currency}">${due}</cbc:PayableAmount></cac:LegalMonetaryTotal></${root}>\n`
  );
}

/** A PDF that has this XML within it. */
export async function facturXPdf(xml: string): Promise<Buffer> {
  const doc = new PDFDocument();
  doc.text('Facture');
  doc.file(Buffer.from(xml), { name: 'factur-x.xml', type: 'text/xml' });
  doc.end();
  return Buffer.concat(await Array.fromAsync(doc as unknown as AsyncIterable<Buffer>));
}
