/** POST /doors/:crm/events: events from a CRM's app, for example that a contact was deleted for privacy reasons. */
import type { Context, Hono } from 'hono';
import { DOORS } from '../../../../connectors/index.ts';
import { isCallReceived, recordReceivedCall } from '../../../clients/statements/hooks.ts';
import { listIntegrationsOfAccount } from '../../../clients/statements/integrations.ts';
import type { Actor } from '../../../core/actor.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { limitBody, MAX_HOOK_BODY_BYTES } from '../request/guards.ts';
import type { ClientAddress } from '../request/peer.ts';
import { createRouter } from '../request/router.ts';
import { MAX_SIGNATURE_AGE_MS } from '../webhooks/call-signature.ts';
import { readHookBody } from '../webhooks/hook-body.ts';
import { requireApp, verifySignature } from './card-call.ts';

type Door = (typeof DOORS)[number];

export function eventRoutes(deps: HttpDeps, getAddress: ClientAddress): Hono<HttpEnv> {
  const { application, runner } = deps;
  const { store } = application;
  const app = createRouter();
  for (const door of DOORS) {
    app.post(`/doors/${door.kind}/events`, limitBody(MAX_HOOK_BODY_BYTES), (c) => take(c, door));
  }
  return app;

  /**
   * Handles an event like a signed webhook call, for each client of the named accounts. After an event, a run reads the
   * contact again. An event also proves that a contact was deleted.
   */
  async function take(c: Context<HttpEnv>, door: Door): Promise<Response> {
    const { clientSecret } = requireApp(deps, door);
    const { signature } = door.door.card;
    await verifySignature(deps, c, signature, clientSecret);
    const receipt = store.fingerprint('hook_receipt', c.req.header(signature.header) ?? '');
    if (await isCallReceived(store.reader, receipt)) return c.json({ accepted: true }, 202);
    const body = readHookBody(new Uint8Array(await c.req.arrayBuffer()), door.kind);
    const by: Actor = { kind: 'door', name: door.name, from: getAddress(c) };
    for (const integrationId of await listConcerned(body)) {
      const { contacts, deleted } = body;
      await runner.call({ integrationId, by, contacts, isComplete: true, deleted });
    }
    await recordReceivedCall(store.connection, receipt, 2 * MAX_SIGNATURE_AGE_MS);
    return c.json({ accepted: true }, 202);
  }

  async function listConcerned({
    contacts,
    deleted,
  }: Pick<ReturnType<typeof readHookBody>, 'contacts' | 'deleted'>): Promise<string[]> {
    const accounts = new Set([...contacts, ...deleted].flatMap(({ account }) => account ?? []));
    const ids: string[] = [];
    for (const account of accounts) {
      const pinned = store.fingerprint('crm_account', account);
      ids.push(...(await listIntegrationsOfAccount(store.reader, pinned)));
    }
    return ids.filter((id) => application.integrations.has(id));
  }
}
