import { failureMessage } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { failureOf, logTrouble } from '#platform/errors';
import { callerOf, identityHook } from '#platform/identity';
import type { Services } from '#platform/services';
import { networkOf } from '#platform/network';

import { roomOf } from '../channel.ts';
import type { BroadcastContent } from '../frames.ts';
import { FRAME_BYTES_MAX, TOPIC_LENGTH_MAX } from '../limits.ts';
import { keepMessage, NotKept, secondsToKeep } from './kept-messages.ts';
import type { Rooms } from './rooms.ts';
import { mayUsePrivateTopic, visitor } from '../viewer.ts';
import type { Viewer } from '../viewer.ts';

const topic = z.string().min(1).max(TOPIC_LENGTH_MAX);
const event = z.string().min(1).max(255);
const messagesSchema = z.object({
  messages: z
    .array(z.object({ topic, event, payload: z.unknown(), private: z.boolean().nullish() }))
    .min(1)
    .max(100),
});

type EventParams = { readonly topic: string; readonly event: string };
type EventQuery = { readonly private?: string; readonly persist?: string; readonly 'persist[ttl]'?: string };

/** The token bucket of one sender's messages. */
const LIMIT = { capacity: 200, perSeconds: 10 };

/** Broadcasts from those who have not joined: `httpSend`, and `send` before the socket stands. */
export async function broadcastRoutes(app: FastifyInstance, services: Services, rooms: Rooms): Promise<void> {
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request) => {
    // The official client sends the key in a header and in the address; older ones in the address alone.
    const { apikey } = request.query as { readonly apikey?: unknown };
    if (request.headers['apikey'] === undefined && typeof apikey === 'string') request.headers['apikey'] = apikey;
  });
  app.addHook('onRequest', identityHook(services, { anonymousBytesMax: () => FRAME_BYTES_MAX }));
  // Before the body is read.
  app.addHook('onRequest', async (request, reply) =>
    request.method === 'POST' ? takeTurn(request, reply) : undefined,
  );
  app.setErrorHandler(async (error, request, reply) => {
    const failure = failureOf(error);
    logTrouble(request, error);
    return reply.status(failure.status).send({ error: failureMessage(failure.code), code: failure.code });
  });

  app.post('/api/broadcast', { bodyLimit: FRAME_BYTES_MAX }, async (request, reply) => {
    const parsed = messagesSchema.safeParse(request.body);
    if (!parsed.success) return refuse(reply, 422, 'The messages are not understood');
    const viewer = await viewerOf(request);
    for (const message of parsed.data.messages) {
      if (message.private === true && !mayUsePrivateTopic(viewer, message.topic)) {
        return refuse(reply, 403, 'You do not have permissions to write to this topic');
      }
    }
    for (const message of parsed.data.messages) {
      const content = { json: JSON.stringify(message.payload ?? {}) };
      rooms.broadcast(roomOf(message.topic, message.private === true), message.event, content, null);
    }
    return reply.status(202).send();
  });

  app.post<{ Params: EventParams; Querystring: EventQuery }>(
    '/api/broadcast/:topic/events/:event',
    { bodyLimit: FRAME_BYTES_MAX },
    async (request, reply) => {
      const { params, query } = request;
      if (!topic.safeParse(params.topic).success || !event.safeParse(params.event).success) {
        return refuse(reply, 422, 'The topic or the event is not understood');
      }
      const isPrivate = query.private === 'true';
      const viewer = await viewerOf(request);
      if (isPrivate && !mayUsePrivateTopic(viewer, params.topic)) {
        return refuse(reply, 403, 'You do not have permissions to write to this topic');
      }
      const room = roomOf(params.topic, isPrivate);
      let content: BroadcastContent = Buffer.isBuffer(request.body)
        ? { bytes: request.body }
        : { json: JSON.stringify(request.body ?? {}) };
      try {
        const seconds = secondsToKeep(persistIn(query));
        if (seconds !== null) {
          content = await keepMessage(services, viewer, { room, event: params.event, content, seconds });
        }
      } catch (error) {
        if (!(error instanceof NotKept)) throw error;
        return refuse(reply, 422, error.message);
      }
      rooms.broadcast(room, params.event, content, null);
      return reply.status(202).send();
    },
  );

  async function takeTurn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { claims } = callerOf(request);
    const wait = await services.rateLimit.takeToken(`broadcast:${claims?.sub ?? networkOf(request.ip)}`, LIMIT);
    if (wait === 0) return undefined;
    void reply.header('retry-after', String(wait));
    return refuse(reply, 429, 'Too many messages');
  }
}

/** The sender. @throws Failure where the person's session has ended. */
async function viewerOf(request: FastifyRequest): Promise<Viewer> {
  const { identity, claims, db } = callerOf(request);
  if (identity.role !== 'authenticated' || claims === null) return { ...visitor, identity, key: identity.role };
  await db.queryAs(identity, { text: 'select' }, { readOnly: true });
  const { app_metadata: metadata } = claims;
  const role = typeof metadata === 'object' && metadata !== null && 'role' in metadata ? metadata.role : null;
  return { ...visitor, identity, personId: claims.sub, personRole: typeof role === 'string' ? role : null };
}

function persistIn(query: EventQuery): unknown {
  if (query['persist[ttl]'] !== undefined) return { ttl: Number(query['persist[ttl]']) };
  return query.persist === undefined || query.persist === 'false' ? undefined : true;
}

function refuse(reply: FastifyReply, status: 403 | 422 | 429, error: string): FastifyReply {
  return reply.status(status).send({ error });
}
