/** The route POST /doors/:crm/workflow: an action in a CRM's workflow marks a contact for enhancement. */
import type { Context, Hono } from 'hono';
import type { WorkflowState } from '../../../../connectors/doors.ts';
import { DOORS } from '../../../../connectors/index.ts';
import { findContacts } from '../../../contacts/contacts.ts';
import { isConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { enrolContact } from '../../../operations/doors/enrol.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { toOperationDeps } from '../request/caller.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { limitBody, MAX_HOOK_BODY_BYTES } from '../request/guards.ts';
import type { ClientAddress } from '../request/peer.ts';
import { createRouter } from '../request/router.ts';
import { findPinned, readJson, refused, requireApp, verifySignature } from './card-call.ts';
import { crmAtDoor } from './door-caller.ts';
import { createWorkflowLimits } from './workflow-limits.ts';

type Door = (typeof DOORS)[number];

export function workflowRoutes(deps: HttpDeps, getAddress: ClientAddress): Hono<HttpEnv> {
  const world = toOperationDeps(deps);
  const limits = createWorkflowLimits(deps);
  const app = createRouter();
  for (const door of DOORS) {
    app.post(`/doors/${door.kind}/workflow`, limitBody(MAX_HOOK_BODY_BYTES), (c) => take(c, door));
  }
  return app;

  async function take(c: Context<HttpEnv>, door: Door): Promise<Response> {
    const { clientSecret, workflowPerDay } = requireApp(deps, door);
    const { signature, headers, readAction, reply } = door.door.workflow;
    for (const [name, value] of Object.entries(headers)) {
      if (c.req.header(name) !== value) throw refused(`Its header ${name} is not ${value}.`);
    }
    await verifySignature(deps, c, signature, clientSecret);
    const action = readAction(await readJson(c));
    if (action === null) throw refused('It is not about a contact.');
    const { account, contact, execution } = action;
    const clients = await findPinned(deps, door.kind, account);
    const knowing = clients.length === 1 ? clients : await listKnowing(clients, contact);
    const isOwn = knowing.length > 0;
    const { fingerprint } = deps.application.store;
    const one = fingerprint('door_execution', `${door.kind}\n${account}\n${execution}`);
    let state: WorkflowState = 'unknown';
    for (const client of isOwn ? knowing : clients) {
      const place = { integrationId: client.id, name: door.name, from: getAddress(c) };
      const caller = crmAtDoor(place);
      state = await limits.within(client, caller, { contact, isOwn }, async () => {
        const limit = workflowPerDay;
        const input = { integration: client.id, contact, execution: one, limit };
        return enrol(() => perform(world, caller, enrolContact, input));
      });
      if (state !== 'unknown') break;
    }
    return c.json(reply(state) ?? {});
  }

  /** Returns the clients that know the contact. Several clients can share a CRM account and have different filters. */
  async function listKnowing(clients: readonly Integration[], contact: string) {
    const { store, contactId } = deps.application;
    const knowing: Integration[] = [];
    for (const client of clients) {
      const crmId = await contactId(client, contact);
      const record = (await findContacts(store.reader, client.id, [crmId])).get(crmId);
      if (record !== undefined && record.state !== 'removed') knowing.push(client);
    }
    return knowing;
  }

  async function enrol(act: () => Promise<{ state: WorkflowState }>): Promise<WorkflowState> {
    try {
      return (await act()).state;
    } catch (error) {
      if (isConfigurationError(error) && error.code === 'contact_unknown') return 'unknown';
      throw error;
    }
  }
}
