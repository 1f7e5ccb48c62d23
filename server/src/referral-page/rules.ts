import { formatDay } from '@parrain/domain/date';
import { french } from '@parrain/domain/typography';
import type { FastifyInstance } from 'fastify';

import { html, lines } from '../platform/html.ts';
import type { Services } from '../platform/services.ts';
import { COMPANY_COLUMNS, companyOf } from './company.ts';
import type { CompanyRow } from './company.ts';
import { document, noticePage } from './page.ts';
import { sendPage, UNNAMED } from './send.ts';

type RulesRow = CompanyRow & {
  readonly version: number | null;
  readonly body: string | null;
  readonly published_at: Date | null;
};

/** `/regles` (CS-05): the programme's rules in force, for whoever is referred; `?version=1` one that was. */
export function rulesRoutes(app: FastifyInstance, services: Services): void {
  app.get('/regles', async (request, reply) => {
    const { version: asked } = request.query as { version?: unknown };
    const { rows } = await services.db.queryAsService<RulesRow>(
      'the page of the programme’s rules',
      {
        text: `select ${COMPANY_COLUMNS}, r.version, r.body, r.published_at
          from public.company_settings c
          left join private.programme_rules r on r.version = coalesce($1, (select max(version) from private.programme_rules))
          where c.id = 1`,
        values: [typeof asked === 'string' && /^[1-9]\d{0,5}$/u.test(asked) ? Number.parseInt(asked, 10) : null],
      },
      { readOnly: true },
    );
    const [row] = rows;
    if (row === undefined || row.version === null || row.body === null || row.published_at === null) {
      const company = row === undefined ? UNNAMED : companyOf(row);
      return sendPage(reply, 404, noticePage(company, 'Pas de règles', 'Le programme n’a pas de règles écrites ici.'));
    }
    const company = companyOf(row);
    const title = 'Règles du programme';
    const since = `Version ${row.version}, du ${formatDay(row.published_at.toISOString())}.`;
    const isFormer = company.rulesVersion !== row.version;
    return sendPage(
      reply,
      200,
      document(company, {
        title: `${title} – ${company.name}`,
        body: html`<h1>${title}</h1>
          <p class="lead">
            ${french(isFormer ? `${since} Elle n’est plus en vigueur.` : since)}
            ${isFormer ? html`<a href="/regles">Lire celle qui l’est</a>` : html``}
          </p>
          <div>${lines(row.body)}</div>`,
      }),
    );
  });
}
