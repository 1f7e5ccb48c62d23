import { XmlDocument, XmlElement } from 'libxml2-wasm';

const NAMESPACES = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  qdt: 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};

/**
 * The rules of EN 16931 (BR-…) and of the French reform (BR-FR-…) that an invoice must keep, with VAT (BR-S-…) or without (BR-E-…), by their names: those that it
 * breaks. Written by us from the rules' texts; the official schematron is not kept here.
 */
export function brokenInvoiceRules(xml: string): readonly string[] {
  const document = XmlDocument.fromString(xml);
  const all = (path: string, of = document.root): readonly string[] =>
    of.find(path, NAMESPACES).map((node) => (node instanceof XmlElement ? node.content : node.content));
  const one = (path: string): string => all(path)[0] ?? '';
  const trade = '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction';
  const header = '/rsm:CrossIndustryInvoice/rsm:ExchangedDocument';
  const seller = `${trade}/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty`;
  const buyer = `${trade}/ram:ApplicableHeaderTradeAgreement/ram:BuyerTradeParty`;
  const settlement = `${trade}/ram:ApplicableHeaderTradeSettlement`;
  const sums = `${settlement}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
  const tax = `${settlement}/ram:ApplicableTradeTax`;
  const line = `${trade}/ram:IncludedSupplyChainTradeLineItem`;
  const cents = (text: string): bigint => (/^\d+\.\d\d$/u.test(text) ? BigInt(text.replace('.', '')) : -1n);
  const sum = (path: string): bigint => all(path).reduce((total, text) => total + cents(text), 0n);
  const of = (name: string): bigint => sum(`${sums}/ram:${name}`);
  const type = one(`${header}/ram:TypeCode`);
  const isDay = (path: string): boolean => /^2\d{3}[01]\d[0-3]\d$/u.test(one(path)) && one(`${path}/@format`) === '102';
  const isExempt = one(`${tax}/ram:CategoryCode`) === 'E';
  const isPaid = one('//ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID') === 'S2';
  const noteCodes = all(`${header}/ram:IncludedNote/ram:SubjectCode`);
  const lines = all(line).length;
  const lineTax = `${line}//ram:ApplicableTradeTax`;
  // Hundredths of a percent: « 0 », « 20.00 ».
  const rate = Math.round(Number(one(`${tax}/ram:RateApplicablePercent`)) * 100);
  const base = sum(`${tax}/ram:BasisAmount`);
  const taxDue = (base * BigInt(rate) + 5_000n) / 10_000n;
  const withoutVat = {
    'BR-E-01': one(`${lineTax}/ram:CategoryCode`) === 'E',
    'BR-E-02': /^\d{9}$/u.test(one(`${seller}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID='FC']`)),
    'BR-E-05': one(`${lineTax}/ram:RateApplicablePercent`) === '0',
    'BR-E-08': base === sum(`${line}//ram:LineTotalAmount`),
    'BR-E-09': cents(one(`${tax}/ram:CalculatedAmount`)) === 0n,
    'BR-E-10':
      one(`${tax}/ram:ExemptionReason`) !== '' && one(`${tax}/ram:ExemptionReasonCode`) === 'VATEX-FR-FRANCHISE',
  };
  const withVat = {
    'BR-S-01': one(`${tax}/ram:CategoryCode`) === 'S' && one(`${lineTax}/ram:CategoryCode`) === 'S',
    'BR-S-02': /^FR[\dA-Z]{2}\d{9}$/u.test(one(`${seller}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']`)),
    'BR-S-05': rate > 0 && one(`${lineTax}/ram:RateApplicablePercent`) === one(`${tax}/ram:RateApplicablePercent`),
    'BR-S-08': base === sum(`${line}//ram:LineTotalAmount`),
    'BR-S-09': cents(one(`${tax}/ram:CalculatedAmount`)) === taxDue,
    'BR-S-10': all(`${tax}/ram:ExemptionReason | ${tax}/ram:ExemptionReasonCode`).length === 0,
  };
  const rules: Readonly<Record<string, boolean>> = {
    'BR-01': one('//ram:GuidelineSpecifiedDocumentContextParameter/ram:ID') === 'urn:cen.eu:en16931:2017',
    'BR-02': one(`${header}/ram:ID`) !== '',
    'BR-03': isDay(`${header}/ram:IssueDateTime/udt:DateTimeString`),
    'BR-04': type === '389' || type === '261',
    'BR-05': one(`${settlement}/ram:InvoiceCurrencyCode`) === 'EUR',
    'BR-06': one(`${seller}/ram:Name`) !== '',
    'BR-07': one(`${buyer}/ram:Name`) !== '',
    'BR-08 BR-09': one(`${seller}/ram:PostalTradeAddress/ram:CountryID`) === 'FR',
    'BR-10 BR-11': one(`${buyer}/ram:PostalTradeAddress/ram:CountryID`) === 'FR',
    'BR-12 BR-13 BR-14 BR-15': ['LineTotalAmount', 'TaxBasisTotalAmount', 'GrandTotalAmount', 'DuePayableAmount'].every(
      (name) => all(`${sums}/ram:${name}`).length === 1,
    ),
    'BR-16': lines >= 1,
    // Unique too.
    'BR-21': new Set(all(`${line}/ram:AssociatedDocumentLineDocument/ram:LineID`)).size === lines,
    'BR-22 BR-23': all(`${line}//ram:BilledQuantity/@unitCode`).filter((unit) => unit === 'C62').length === lines,
    'BR-24': all(`${line}//ram:LineTotalAmount`).length === lines,
    'BR-25': all(`${line}/ram:SpecifiedTradeProduct/ram:Name`).filter((name) => name !== '').length === lines,
    'BR-26 BR-27':
      all(`${line}//ram:NetPriceProductTradePrice/ram:ChargeAmount`).filter((price) => cents(price) > 0n).length ===
      lines,
    'BR-30': all(`${line}//ram:BillingSpecifiedPeriod/ram:StartDateTime/udt:DateTimeString`).every(
      (start, place) =>
        start <= (all(`${line}//ram:BillingSpecifiedPeriod/ram:EndDateTime/udt:DateTimeString`)[place] ?? ''),
    ),
    'BR-55': type !== '261' || one(`${settlement}/ram:InvoiceReferencedDocument/ram:IssuerAssignedID`) !== '',
    'BR-62 BR-63': [seller, buyer].every(
      (who) => one(`${who}/ram:URIUniversalCommunication/ram:URIID/@schemeID`) === '0225',
    ),
    'BR-CO-10': of('LineTotalAmount') === sum(`${line}//ram:LineTotalAmount`),
    'BR-CO-13': of('TaxBasisTotalAmount') === of('LineTotalAmount'),
    'BR-CO-14': of('TaxTotalAmount') === sum(`${tax}/ram:CalculatedAmount`),
    'BR-CO-15': of('GrandTotalAmount') === of('TaxBasisTotalAmount') + of('TaxTotalAmount'),
    'BR-CO-16': of('DuePayableAmount') === of('GrandTotalAmount') - of('TotalPrepaidAmount'),
    'BR-CO-18': all(tax).length === 1,
    'BR-CO-26': one(`${seller}/ram:SpecifiedLegalOrganization/ram:ID[@schemeID='0002']`) !== '',
    'BR-DEC-09 BR-DEC-23': all(`${sums}/* | ${line}//ram:LineTotalAmount | ${tax}/ram:BasisAmount`).every(
      (text) => cents(text) >= 0n,
    ),
    'BR-CO-17': cents(one(`${tax}/ram:CalculatedAmount`)) === taxDue,
    ...(isExempt ? withoutVat : withVat),
    'BR-FR-01 BR-FR-02': /^[\dA-Za-z+\-_/]{1,35}$/u.test(one(`${header}/ram:ID`)),
    'BR-FR-05': ['PMT', 'PMD', 'AAB'].every((code) => noteCodes.filter((given) => given === code).length === 1),
    'BR-FR-CO-05': type !== '261' || isDay(`${settlement}/ram:InvoiceReferencedDocument//qdt:DateTimeString`),
    'BR-FR-CO-09':
      isPaid &&
      of('TotalPrepaidAmount') === of('GrandTotalAmount') &&
      of('DuePayableAmount') === 0n &&
      isDay(`${settlement}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/udt:DateTimeString`),
    // A SIRET is that of the SIREN beside it.
    'BT-29 BT-46': [seller, buyer].every((who) =>
      all(`${who}/ram:GlobalID[@schemeID='0009']`).every(
        (siret) => /^\d{14}$/u.test(siret) && siret.startsWith(one(`${who}/ram:SpecifiedLegalOrganization/ram:ID`)),
      ),
    ),
    'BR-FR-10': [seller, buyer].every((who) =>
      /^\d{9}$/u.test(one(`${who}/ram:SpecifiedLegalOrganization/ram:ID[@schemeID='0002']`)),
    ),
  };
  const broken = Object.keys(rules).filter((name) => rules[name] !== true);
  document.dispose();
  return broken;
}
