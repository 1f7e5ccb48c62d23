import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Conduct of the platform towards one deposit. « lost » stores it and breaks the connection; « slow » stores it and never answers. */
export type PlatformFault =
  | 'none'
  | 'lost'
  | 'slow'
  | 'broken'
  | 'down'
  | 'busy'
  | 'token'
  | 'refused'
  | 'garbled'
  | 'duplicate';

/** Conduct of the platform towards one reading of a document that came in; « half » breaks off in the middle of it. */
export type DocumentFault = 'none' | 'slow' | 'half' | 'broken' | 'down' | 'busy' | 'token' | 'lost';

export type PlatformFlow = {
  readonly flowId: string;
  readonly trackingId: string | null;
  readonly name: string;
  readonly flowSyntax: string;
  readonly flowType: string;
  readonly flowDirection: string;
  updatedAt: string;
  acknowledgement: { status: 'Pending' | 'Ok' | 'Error'; details: object[] };
  readonly document: Buffer;
};

/** A server that speaks XP Z12-013 as public clients know it, on this machine. It keeps each flow that it took. */
export type AgreedPlatform = {
  readonly url: string;
  readonly access: {
    readonly flow_url: string;
    readonly directory_url: string;
    readonly token_url: string;
    readonly client_id: string;
    readonly client_secret: string;
  };
  readonly flows: PlatformFlow[];
  /** Calls, as « POST /flow-service/v1/flows 202 ». */
  readonly calls: string[];
  /** Heads and information of deposits. */
  readonly deposits: { readonly headers: IncomingMessage['headers']; readonly info: Record<string, unknown> }[];
  /** Sets what becomes of later deposits. */
  readonly faultOf: (fault: (trackingId: string) => PlatformFault) => void;
  /** Brings in an invoice of somebody's, as an incoming flow. Several may come at one instant. */
  readonly bring: (name: string, document: Buffer, at?: string) => PlatformFlow;
  /** Sets what becomes of later readings of what was brought in. */
  readonly documentFaultOf: (fault: (flowId: string) => DocumentFault) => void;
  /** True while nothing but errors comes of any call. */
  isDown: boolean;
  /** True while no call is answered. */
  isSilent: boolean;
  /** False where searches heed no filter, as some platforms'. */
  filters: boolean;
  /** False where searches do not look for a tracking id. */
  looksUp: boolean;
  /** True where searches say each flow twice. */
  repeats: boolean;
  readonly acknowledge: (flow: PlatformFlow, status: 'Ok' | 'Error', words?: string) => void;
  /** Tells a step of an invoice's life, as a CDAR flow. */
  readonly tell: (invoice: string, code: string, words?: string) => PlatformFlow;
  readonly endTokens: () => void;
  readonly close: () => Promise<void>;
};

const CLIENT = { client_id: 'parrain-essai', client_secret: 'un secret d’essai' };

export async function startAgreedPlatform(siren: string): Promise<AgreedPlatform> {
  const flows: PlatformFlow[] = [];
  const tokens = new Set<string>();
  const calls: string[] = [];
  const deposits: AgreedPlatform['deposits'] = [];
  let faultOf: (trackingId: string) => PlatformFault = () => 'none';
  let lastAt = Date.now();
  const now = (): string => {
    lastAt = Math.max(lastAt + 1, Date.now());
    return new Date(lastAt).toISOString();
  };
  const state = { isDown: false, isSilent: false, filters: true, looksUp: true, repeats: false };
  let documentFaultOf: (flowId: string) => DocumentFault = () => 'none';

  const take = (info: Record<string, unknown>, document: Buffer): PlatformFlow => {
    const flow: PlatformFlow = {
      flowId: `flow-${flows.length + 1}`,
      trackingId: info['trackingId'] as string,
      name: info['name'] as string,
      flowSyntax: info['flowSyntax'] as string,
      flowType: info['flowSyntax'] === 'CDAR' ? 'SupplierInvoiceLC' : 'SupplierInvoice',
      flowDirection: 'Out',
      updatedAt: now(),
      acknowledgement: { status: 'Pending', details: [] },
      document,
    };
    flows.push(flow);
    return flow;
  };

  async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://platform');
    const path = url.pathname;
    const send = (status: number, json: unknown, headers: Record<string, string> = {}): void => {
      calls.push(`${request.method} ${path} ${status}`);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    };
    if (state.isSilent) return undefined;
    if (state.isDown) return send(503, { errorCode: 'UNAVAILABLE', errorMessage: 'Maintenance' });
    if (path === '/oauth/token') {
      const form = new URLSearchParams(body.toString());
      if (form.get('client_secret') !== CLIENT.client_secret || form.get('client_id') !== CLIENT.client_id) {
        return send(401, { error: 'invalid_client' });
      }
      const token = `token-${calls.length}`;
      tokens.add(token);
      return send(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
    }
    if (path === '/flow-service/v1/healthcheck') return send(200, { status: 'UP' });
    if (!tokens.has(/^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '')) {
      return send(401, { errorCode: 'UNAUTHORIZED', errorMessage: 'Token expired' });
    }
    const known = /^\/directory-service\/v1\/siren\/code-insee:(\d{9})$/u.exec(path)?.[1];
    if (known !== undefined) {
      return known === siren ? send(200, { siren, entityType: 'PrivateVatRegistered' }) : send(404, {});
    }
    if (path === '/flow-service/v1/flows/search') {
      const { where, limit } = JSON.parse(body.toString()) as {
        where: { trackingId?: string; updatedAfter?: string; flowType?: string[]; flowDirection?: string[] };
        limit: number;
      };
      const results = flows
        .filter(
          (flow) =>
            !state.filters ||
            ((!state.looksUp || where.trackingId === undefined || flow.trackingId === where.trackingId) &&
              (where.updatedAfter === undefined || flow.updatedAt > where.updatedAfter) &&
              (where.flowType === undefined || where.flowType.includes(flow.flowType)) &&
              (where.flowDirection === undefined || where.flowDirection.includes(flow.flowDirection))),
        )
        .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1))
        .slice(0, state.filters ? limit : flows.length)
        .map(metadataOf);
      return send(200, {
        limit,
        filters: where,
        results: state.repeats ? results.flatMap((one) => [one, one]) : results,
      });
    }
    const flowId = /^\/flow-service\/v1\/flows\/([^/]+)$/u.exec(path)?.[1];
    if (flowId !== undefined && request.method === 'GET') {
      const flow = flows.find((one) => one.flowId === flowId);
      if (flow === undefined) return send(404, { errorCode: 'NOT_FOUND' });
      if (url.searchParams.get('docType') === 'Metadata') return send(200, metadataOf(flow));
      const fault = flow.flowDirection === 'In' && flow.flowSyntax !== 'CDAR' ? documentFaultOf(flowId) : 'none';
      switch (fault) {
        case 'slow':
          return undefined;
        case 'broken':
          return void request.socket.destroy();
        case 'half':
          // Without a length: what is missing shows by the end of the connection alone.
          response.writeHead(200, { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' });
          response.write(flow.document.subarray(0, flow.document.length / 2), () => request.socket.destroy());
          return undefined;
        case 'down':
          return send(503, { errorCode: 'UNAVAILABLE', errorMessage: 'Maintenance' });
        case 'lost':
          return send(404, { errorCode: 'NOT_FOUND' });
        case 'busy':
          return send(429, { errorCode: 'TOO_MANY' }, { 'retry-after': '1' });
        case 'token':
          tokens.clear();
          return send(401, { errorCode: 'UNAUTHORIZED', errorMessage: 'Token expired' });
        case 'none':
          break;
      }
      calls.push(`GET ${path} 200`);
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(flow.document);
    }
    if (path !== '/flow-service/v1/flows' || request.method !== 'POST') return send(404, {});

    const form = await new Request('http://platform', {
      method: 'POST',
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      body: new Uint8Array(body),
    }).formData();
    const info = JSON.parse(form.get('flowInfo') as string) as Record<string, unknown>;
    const file = Buffer.from(await (form.get('file') as File).arrayBuffer());
    deposits.push({ headers: request.headers, info });
    if (info['sha256'] !== createHash('sha256').update(file).digest('hex')) {
      return send(400, { errorCode: 'CHECKSUM_MISMATCH', errorMessage: 'sha256' });
    }
    switch (faultOf(info['trackingId'] as string)) {
      case 'refused':
        return send(422, { errorCode: 'BR-FR-01', errorMessage: 'Le SIREN du vendeur est inconnu' });
      case 'down':
        return send(503, { errorCode: 'UNAVAILABLE', errorMessage: 'Maintenance' });
      case 'busy':
        return send(429, { errorCode: 'TOO_MANY' }, { 'retry-after': '1' });
      case 'token':
        tokens.clear();
        return send(401, { errorCode: 'UNAUTHORIZED', errorMessage: 'Token expired' });
      case 'broken':
        calls.push(`POST ${path} broken`);
        return void request.socket.destroy();
      case 'lost':
        take(info, file);
        calls.push(`POST ${path} lost`);
        return void request.socket.destroy();
      case 'slow':
        take(info, file);
        calls.push(`POST ${path} slow`);
        return undefined;
      case 'garbled':
        take(info, file);
        return send(202, 'accepted');
      case 'duplicate':
        take(info, file);
        return send(409, { errorCode: 'DUPLICATE', errorMessage: 'trackingId' });
      case 'none':
        return send(202, metadataOf(take(info, file)));
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      void answer(request, response, Buffer.concat(chunks)).catch(() => response.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    url,
    access: {
      flow_url: `${url}/flow-service`,
      directory_url: `${url}/directory-service`,
      token_url: `${url}/oauth/token`,
      ...CLIENT,
    },
    flows,
    calls,
    deposits,
    faultOf(next: (trackingId: string) => PlatformFault) {
      faultOf = next;
    },
    acknowledge(flow: PlatformFlow, status: 'Ok' | 'Error', words?: string) {
      flow.updatedAt = now();
      flow.acknowledgement = {
        status,
        details:
          words === undefined ? [] : [{ level: 'Error', item: '', reasonCode: 'REJ_SEMAN', reasonMessage: words }],
      };
    },
    tell(invoice: string, code: string, words?: string): PlatformFlow {
      const flow: PlatformFlow = {
        flowId: `flow-${flows.length + 1}`,
        trackingId: null,
        name: `${invoice}-${code}.xml`,
        flowSyntax: 'CDAR',
        flowType: 'SupplierInvoiceLC',
        flowDirection: 'In',
        updatedAt: now(),
        acknowledgement: { status: 'Ok', details: [] },
        document: Buffer.from(cdar(invoice, code, words)),
      };
      flows.push(flow);
      return flow;
    },
    bring(name: string, document: Buffer, at = now()): PlatformFlow {
      const flow: PlatformFlow = {
        flowId: `flow-${flows.length + 1}`,
        trackingId: null,
        name,
        flowSyntax: name.endsWith('.pdf') ? 'Factur-X' : 'CII',
        flowType: 'SupplierInvoice',
        flowDirection: 'In',
        updatedAt: at,
        acknowledgement: { status: 'Ok', details: [] },
        document,
      };
      flows.push(flow);
      return flow;
    },
    documentFaultOf(next: (flowId: string) => DocumentFault) {
      documentFaultOf = next;
    },
    endTokens() {
      tokens.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function metadataOf({ document, ...metadata }: PlatformFlow): Omit<PlatformFlow, 'document'> {
  void document;
  return metadata;
}

function cdar(invoice: string, code: string, words?: string): string {
  const reason =
    words === undefined
      ? ''
      : `<ram:SpecifiedDocumentStatus><ram:ReasonCode>TX_TVA_ERR</ram:ReasonCode><ram:Reason>${words}</ram:Reason></ram:SpecifiedDocumentStatus>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossDomainAcknowledgementAndResponse xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocument><ram:ID>LC-${invoice}-${code}</ram:ID></rsm:ExchangedDocument>
<rsm:AcknowledgementDocument><ram:TypeCode>23</ram:TypeCode>
<ram:ReferenceReferencedDocument><ram:IssuerAssignedID>${invoice}</ram:IssuerAssignedID><ram:TypeCode>389</ram:TypeCode>
<ram:ProcessConditionCode>${code}</ram:ProcessConditionCode>${reason}</ram:ReferenceReferencedDocument>
</rsm:AcknowledgementDocument></rsm:CrossDomainAcknowledgementAndResponse>
`;
}
