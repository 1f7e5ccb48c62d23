import { expect, test } from 'vitest';
import { missingSettings } from './words.ts';

test('[DF-45] « Aucune alarme » is said where mails leave and a backup was made, or is another service’s', () => {
  const mail = { isConfigured: true, queued: 0, retried: 0, sending: 0, failed: 0, lastError: null };
  const backup = { last: null, lastSuccessAt: '2026-11-25T02:30:00Z', alarmDays: 7 };
  const missing = (isConfigured: boolean, lastSuccessAt: string | null, alarmDays: number | null = 7) =>
    missingSettings({
      mail: { ...mail, isConfigured },
      backup: { ...backup, lastSuccessAt, alarmDays },
      hasLegalNotice: true,
    });
  expect(missing(true, backup.lastSuccessAt)).toEqual([]);
  expect(missing(true, null, null)).toEqual([]);
  expect(missing(false, backup.lastSuccessAt)).toEqual([expect.stringContaining('SMTP_URL')]);
  expect(missing(false, null)).toEqual([
    expect.stringContaining('SMTP_URL'),
    expect.stringContaining('npm run backup'),
  ]);
});
