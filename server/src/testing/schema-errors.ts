import { XmlDocument, XmlValidateError, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The official schema of the profile EN 16931 (Factur-X 1.09), kept by a package that only tests read. */
const FACTUR_X = join(
  dirname(createRequire(import.meta.url).resolve('@stackforge-eu/factur-x')),
  '../schema/en16931/FACTUR-X_EN16931.xsd',
);

/** Errors of an invoice against the official schema: none where it is valid. */
export function invoiceSchemaErrors(xml: string): readonly string[] {
  return schemaErrors(xml, FACTUR_X);
}

/** Errors of a file for a bank, or of a bank's answer, against the schema of ISO 20022 that its namespace names: none where it is valid. */
export function bankSchemaErrors(xml: string): readonly string[] {
  const message = /urn:iso:std:iso:20022:tech:xsd:([a-z]+[.\d]+)/u.exec(xml)?.[1] ?? '';
  // An entry is the same in a statement, in a notification and in a report, whose schema is kept here.
  if (/^camt\.05[34]\.001\.08$/u.test(message)) {
    const report = xml
      .replace(message, 'camt.052.001.08')
      .replaceAll(/(?<=<\/?)(?:BkToCstmrStmt|BkToCstmrDbtCdtNtfctn)(?=>)/gu, 'BkToCstmrAcctRpt')
      .replaceAll(/(?<=<\/?)(?:Stmt|Ntfctn)(?=>)/gu, 'Rpt');
    return schemaErrors(report, join(import.meta.dirname, 'iso-20022/camt.052.001.08.xsd'));
  }
  return schemaErrors(xml, join(import.meta.dirname, `iso-20022/${message}.xsd`));
}

function schemaErrors(xml: string, path: string): readonly string[] {
  xmlRegisterFsInputProviders();
  const schema = XmlDocument.fromBuffer(readFileSync(path), { url: path });
  const validator = XsdValidator.fromDoc(schema);
  const document = XmlDocument.fromString(xml);
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (error instanceof XmlValidateError) return error.details.map(({ message }) => message.trim());
    throw error;
  } finally {
    for (const used of [document, validator, schema]) used.dispose();
  }
}
