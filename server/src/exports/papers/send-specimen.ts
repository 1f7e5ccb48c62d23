import { specimens } from '@parrain/domain/specimen';
import type { SpecimenName } from '@parrain/domain/specimen';

import { callerOf } from '#platform/identity';
import type { Services } from '#platform/services';

import { sendFile } from '../send-file.ts';
import { paperDocument } from './paper-document.ts';
import { drawn } from './paper-files.ts';
import type { Party } from './paper.ts';
import type { Asked } from './send-papers.ts';
import { specimenPaper, unknownCompany } from './specimen-paper.ts';

/** An example of a paper with the company's name, logo and colour (AC-07), for the admin and the accountant. */
export async function sendSpecimen(
  services: Services,
  { request, reply, identity, pdfs, name }: Asked & { readonly name: SpecimenName },
): Promise<void> {
  await callerOf(request).db.queryAs(
    identity,
    { text: `select private.require_role('admin', 'comptable')` },
    { readOnly: true },
  );
  const { rows } = await services.db.queryAsService<{ known: Party | null; name: string }>('exports: papers', {
    text: `select c.company_name as name, to_jsonb(s) || jsonb_build_object('capital', s.capital::text) as known
      from public.company_settings c left join private.paper_settings s on true`,
  });
  const [company] = rows;
  const layout = paperDocument(specimenPaper(name, company?.known ?? unknownCompany(company?.name ?? ''), new Date()));
  const bytes = await drawn(services, pdfs, { ...layout, title: `Spécimen : ${layout.title}` });
  await sendFile(reply, {
    name: `Spécimen, ${specimens[name].label}.pdf`,
    type: 'application/pdf',
    length: bytes.length,
    parts: [bytes],
  });
}
