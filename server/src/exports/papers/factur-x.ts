import { escaped } from '#platform/html';

/** A party of an invoice; both are in France. */
export type InvoiceParty = {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  readonly siren: string;
  /** Of the establishment; null where the SIREN alone is known. */
  readonly siret: string | null;
  readonly vatNumber: string | null;
  /** Legal form, capital and registry (BT-33), which the model has of the seller alone. */
  readonly registration: string | null;
};

/** An invoice that is paid on its day, with VAT or without (CGI 293 B), or the credit note that takes one back. */
export type FacturX = {
  readonly number: string;
  /** Days, « 2026-11-23 ». */
  readonly issuedOn: string;
  readonly deliveredOn: string;
  readonly paidOn: string;
  readonly seller: InvoiceParty;
  readonly buyer: InvoiceParty;
  /** The day of a line is that of its service; their amounts add up to `amount`. */
  readonly lines: readonly { readonly item: string; readonly day: string | null; readonly amount: string }[];
  /** Service that every line is of. */
  readonly nature: string;
  /** Words that say why there is no VAT, where there is none. */
  readonly exemptionReason: string;
  /** Before tax; as the wire has it: « 12.34 ». */
  readonly amount: string;
  /** Its VAT and what both are together; null of who charges none. The rate is « 20.00 ». */
  readonly vat: { readonly rate: string; readonly amount: string; readonly total: string } | null;
  /** The invoice that a credit note takes back. */
  readonly credited: { readonly number: string; readonly issuedOn: string } | null;
  /** Their subject codes (UNTDID 4451) and words. */
  readonly notes: readonly (readonly [code: string, text: string])[];
};

const NAMESPACES =
  'xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" ' +
  'xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" ' +
  'xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100" ' +
  'xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100"';

/**
 * The same invoice as data: UN/CEFACT CII in the profile EN 16931 of Factur-X. Type 389 is a self-billed invoice, 261 its credit note,
 * whose amounts are positive too. S2 says « services, already paid », which asks for nothing due and the day of the payment.
 */
export function facturX(invoice: FacturX): string {
  const {
    number,
    issuedOn,
    deliveredOn,
    paidOn,
    seller,
    buyer,
    lines,
    nature,
    exemptionReason,
    amount,
    vat,
    credited,
    notes,
  } = invoice;
  const [category, rate, taxAmount, total] =
    vat === null ? (['E', '0', '0.00', amount] as const) : (['S', vat.rate, vat.amount, vat.total] as const);
  const context = (name: string, id: string): string =>
    within(`${name}SpecifiedDocumentContextParameter`, value('ID', id));
  // A seller who charges no VAT has no VAT number: their SIREN stands for it (BR-E-02); one who charges it has a number (BR-S-02).
  if (vat !== null && seller.vatNumber === null) throw new Error('A seller who charges VAT has a number');
  const sellerTax = within(
    'SpecifiedTaxRegistration',
    vat !== null && seller.vatNumber !== null
      ? value('ID', seller.vatNumber, ' schemeID="VA"')
      : value('ID', seller.siren, ' schemeID="FC"'),
  );
  const buyerTax =
    buyer.vatNumber === null ? '' : within('SpecifiedTaxRegistration', value('ID', buyer.vatNumber, ' schemeID="VA"'));
  const rows = lines.map(({ item, day: servedOn, amount: part }, place) => {
    const served = servedOn === null ? '' : day('udt', servedOn);
    return within(
      'IncludedSupplyChainTradeLineItem',
      within('AssociatedDocumentLineDocument', value('LineID', String(place + 1))) +
        within('SpecifiedTradeProduct', value('Name', item) + value('Description', nature)) +
        within('SpecifiedLineTradeAgreement', within('NetPriceProductTradePrice', value('ChargeAmount', part))) +
        within('SpecifiedLineTradeDelivery', value('BilledQuantity', '1', ' unitCode="C62"')) +
        within(
          'SpecifiedLineTradeSettlement',
          within(
            'ApplicableTradeTax',
            value('TypeCode', 'VAT') + value('CategoryCode', category) + value('RateApplicablePercent', rate),
          ) +
            (served === ''
              ? ''
              : within('BillingSpecifiedPeriod', within('StartDateTime', served) + within('EndDateTime', served))) +
            within('SpecifiedTradeSettlementLineMonetarySummation', value('LineTotalAmount', part)),
        ),
    );
  });
  const tax =
    value('CalculatedAmount', taxAmount) +
    value('TypeCode', 'VAT') +
    (vat === null ? value('ExemptionReason', exemptionReason) : '') +
    value('BasisAmount', amount) +
    value('CategoryCode', category) +
    (vat === null ? value('ExemptionReasonCode', 'VATEX-FR-FRANCHISE') : '') +
    value('RateApplicablePercent', rate);
  const sums =
    value('LineTotalAmount', amount) +
    value('TaxBasisTotalAmount', amount) +
    value('TaxTotalAmount', taxAmount, ' currencyID="EUR"') +
    value('GrandTotalAmount', total) +
    value('TotalPrepaidAmount', total) +
    value('DuePayableAmount', '0.00');
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice ${NAMESPACES}>` +
    `<rsm:ExchangedDocumentContext>${context('BusinessProcess', 'S2')}${context('Guideline', 'urn:cen.eu:en16931:2017')}</rsm:ExchangedDocumentContext>` +
    `<rsm:ExchangedDocument>${value('ID', number)}${value('TypeCode', credited === null ? '389' : '261')}${within('IssueDateTime', day('udt', issuedOn))}` +
    `${notes.map(([code, text]) => within('IncludedNote', value('Content', text) + value('SubjectCode', code))).join('')}</rsm:ExchangedDocument>` +
    `<rsm:SupplyChainTradeTransaction>${rows.join('')}` +
    within(
      'ApplicableHeaderTradeAgreement',
      within('SellerTradeParty', party(seller, seller.registration) + sellerTax) +
        within('BuyerTradeParty', party(buyer) + buyerTax),
    ) +
    within(
      'ApplicableHeaderTradeDelivery',
      within('ActualDeliverySupplyChainEvent', within('OccurrenceDateTime', day('udt', deliveredOn))),
    ) +
    within(
      'ApplicableHeaderTradeSettlement',
      value('InvoiceCurrencyCode', 'EUR') +
        within('ApplicableTradeTax', tax) +
        within('SpecifiedTradePaymentTerms', within('DueDateDateTime', day('udt', paidOn))) +
        within('SpecifiedTradeSettlementHeaderMonetarySummation', sums) +
        (credited === null
          ? ''
          : within(
              'InvoiceReferencedDocument',
              value('IssuerAssignedID', credited.number) +
                within('FormattedIssueDateTime', day('qdt', credited.issuedOn)),
            )),
    ) +
    '</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>\n'
  );
}

function party(
  { name, street, postalCode, city, siren, siret }: InvoiceParty,
  registration: string | null = null,
): string {
  return (
    (siret === null ? '' : value('GlobalID', siret, ' schemeID="0009"')) +
    value('Name', name) +
    (registration === null ? '' : value('Description', registration)) +
    within('SpecifiedLegalOrganization', value('ID', siren, ' schemeID="0002"')) +
    within(
      'PostalTradeAddress',
      value('PostcodeCode', postalCode) + value('LineOne', street) + value('CityName', city) + value('CountryID', 'FR'),
    ) +
    within('URIUniversalCommunication', value('URIID', siren, ' schemeID="0225"'))
  );
}

function within(name: string, content: string): string {
  return `<ram:${name}>${content}</ram:${name}>`;
}

function value(name: string, text: string, attributes = ''): string {
  return `<ram:${name}${attributes}>${escaped(text)}</ram:${name}>`;
}

function day(namespace: 'udt' | 'qdt', written: string): string {
  return `<${namespace}:DateTimeString format="102">${written.replaceAll('-', '')}</${namespace}:DateTimeString>`;
}
