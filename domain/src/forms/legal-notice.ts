import * as z from 'zod/mini';
import type { LegalNotice } from '../legal-notice.ts';
import { dateInvalid } from '../messages.ts';
import { isDay } from '../period.ts';
import { across, email, optionalLine, optionalPhone, optionalText, refuse, report, requiredLine } from './fields.ts';
import { addressLineLengthMax, nameLengthMax } from './limits.ts';

const rateInvalid = 'Indiquez un taux de 0 à 100.';

function requiredPhone(required: string) {
  return z.pipe(
    optionalPhone(),
    z.transform((value, context) => value ?? refuse(context, required)),
  );
}

/** The legal notice as the screen and the wire write it: an audit is entered whole or not at all (DF-47, DF-86). */
export const legalNoticeForm = z.pipe(
  z
    .object({
      publisher: requiredLine('Indiquez le nom légal et la forme de l’entreprise.', addressLineLengthMax),
      registration: optionalLine(nameLengthMax),
      address: requiredLine('Indiquez l’adresse de l’entreprise.', addressLineLengthMax),
      director: requiredLine('Indiquez qui dirige la publication.', nameLengthMax),
      email: email('Indiquez une adresse e-mail où l’on peut vous écrire.'),
      phone: requiredPhone('Indiquez un numéro où l’on peut vous appeler.'),
      host: requiredLine('Indiquez le nom de l’hébergeur.', nameLengthMax),
      host_address: requiredLine('Indiquez l’adresse de l’hébergeur.', addressLineLengthMax),
      host_phone: requiredPhone('Indiquez le numéro de l’hébergeur.'),
      audited_on: z.pipe(
        z.optional(z.nullable(z.string())),
        z.transform((text, context): string | null => {
          if (!text) return null;
          return isDay(text) ? text : refuse(context, dateInvalid);
        }),
      ),
      audited_by: optionalLine(nameLengthMax),
      audit_rate: z.pipe(
        z.optional(z.nullable(z.union([z.string(), z.number()], { error: rateInvalid }))),
        z.transform((value, context): number | null => {
          if (value === null || value === undefined || value === '') return null;
          const text = String(value).trim();
          const rate = /^\d{1,3}$/u.test(text) ? Number.parseInt(text, 10) : 101;
          return rate <= 100 ? rate : refuse(context, rateInvalid);
        }),
      ),
      audit_gaps: optionalText(),
    })
    .check(
      across((form: Readonly<Record<string, unknown>>, context) => {
        const given = auditFields.filter((field) => form[field] !== null);
        if (given.length === 0 && form['audit_gaps'] === null) return;
        if (form['audited_on'] === null) report(context, 'Indiquez le jour de l’audit.', ['audited_on']);
        if (form['audited_by'] === null) report(context, 'Indiquez qui a fait l’audit.', ['audited_by']);
        if (form['audit_rate'] === null) report(context, rateInvalid, ['audit_rate']);
      }),
    ),
  z.transform((form): LegalNotice => form),
);

const auditFields = ['audited_on', 'audited_by', 'audit_rate'] as const;
