import { formatDay } from './date.ts';

/** Publisher and host of the installation, and result of its accessibility audit, as the wire and the table write them (DF-47, DF-86). */
export interface LegalNotice {
  /** « Lumeo Habitat, SARL au capital de 20 000 € ». */
  readonly publisher: string;
  /** « RCS Rennes 732 829 320 »; null where there is none. */
  readonly registration: string | null;
  readonly address: string;
  /** Publication director. */
  readonly director: string;
  readonly email: string;
  readonly phone: string;
  readonly host: string;
  readonly host_address: string;
  readonly host_phone: string;
  /** A day of France: « 2026-11-24 »; null before an audit, as are the author and the rate. */
  readonly audited_on: string | null;
  readonly audited_by: string | null;
  /** The share of the criteria of the RGAA that are met, in per cent. */
  readonly audit_rate: number | null;
  readonly audit_gaps: string | null;
}

/** The three states of the law: without an audit nothing is said to conform, and half of the criteria make it partial. */
export function conformityOf(rate: number | null): string {
  if (rate === null || rate < 50) return 'non conforme';
  return rate < 100 ? 'partiellement conforme' : 'totalement conforme';
}

/** A number that no line break cuts. */
const unbroken = (phone: string): string => phone.replaceAll(' ', '\u00a0');

/** Values for the placeholders of the public pages (server/src/site.ts), by name. Without a notice, only those that are known. */
export function noticePlaces(notice: LegalNotice | null) {
  const state = conformityOf(notice?.audit_rate ?? null);
  if (notice === null) return { state };
  const { audited_on: on, audited_by: by, audit_rate: rate } = notice;
  return {
    state,
    publisher: notice.publisher,
    identity: [notice.publisher, notice.registration].filter(Boolean).join(' – '),
    address: notice.address,
    director: notice.director,
    email: notice.email,
    phone: unbroken(notice.phone),
    host: [notice.host, notice.host_address, `téléphone ${unbroken(notice.host_phone)}`].join(', '),
    ...(on === null
      ? {}
      : {
          audit: `L’audit fait par ${by} le ${formatDay(on)} montre que ${rate} % des critères du RGAA 4.1.2 sont respectés.`,
          gaps: notice.audit_gaps ?? 'L’audit n’en a signalé aucun.',
        }),
  };
}
