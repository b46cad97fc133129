/** The routes POST /doors/:crm/card/…, which receive calls from a CRM's card about a contact. */
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { DOORS } from '../../../../connectors/index.ts';
import { findDoorReply, saveDoorReply } from '../../../clients/statements/doors.ts';
import { isConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { publicAddress } from '../../../core/public-address.ts';
import { HOLD_DECISIONS } from '../../../core/questions/decisions.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import { answerAtDoor } from '../../../operations/doors/answer.ts';
import { type DoorContact, showAtDoor } from '../../../operations/doors/contact.ts';
import { markWanted } from '../../../operations/doors/mark.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { keyReused } from '../../../operations/start-run.ts';
import { createLinkSecret, fingerprintCrmUser } from '../../../people/crm-user-links.ts';
import { findCrmUser } from '../../../people/statements/crm-users.ts';
import { findPersonBy } from '../../../people/statements/people.ts';
import { readIdentity } from '../../../people/user-accounts.ts';
import { toOperationDeps } from '../request/caller.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES } from '../request/guards.ts';
import type { ClientAddress } from '../request/peer.ts';
import { createRouter } from '../request/router.ts';
import {
  type CardCall,
  findPinned,
  refuseReplayed,
  rememberCall,
  verifyCard,
} from './card-call.ts';
import { type AtDoor, crmAtDoor, userAtDoor } from './door-caller.ts';
import { createShownReplies } from './shown-replies.ts';

type Door = (typeof DOORS)[number];

const keyShape = { key: z.string().min(8).max(200), contact: z.string().min(1).max(255) };
const loadSchema = z.strictObject(keyShape);
const answerSchema = z.strictObject({
  ...keyShape,
  question: z.string().min(1).max(255),
  decision: z.enum(HOLD_DECISIONS),
});

interface Reply {
  status: ContentfulStatusCode;
  body: object;
}

/** Creates the card routes, which are the same for every CRM with a door. */
export function cardRoutes(deps: HttpDeps, getAddress: ClientAddress): Hono<HttpEnv> {
  const { application, clock, address } = deps;
  const { store, sealer } = application;
  const world = toOperationDeps(deps);
  const replies = createShownReplies(clock);
  const app = createRouter();
  for (const door of DOORS) addDoor(door);
  return app;

  function addDoor(door: Door): void {
    const path = `/doors/${door.kind}/card`;
    const limited = limitBody(MAX_API_BODY_BYTES);

    // With GET, log files would contain the contact's ID.
    app.post(`${path}/contact`, limited, async (c) => {
      const call = await verifyCard(deps, c, door);
      const { contact } = read(loadSchema, call.body);
      const before = replies.find(call.receipt);
      if (before !== null) return c.json(before);
      await refuseReplayed(deps, call.receipt);
      const shown = await show(c, door, call, contact);
      replies.keep(call.receipt, shown);
      await rememberCall(deps, call.receipt);
      return c.json(shown);
    });

    app.post(`${path}/wanted`, limited, async (c) => {
      const call = await verifyCard(deps, c, door);
      const { key, contact } = read(loadSchema, call.body);
      return once(c, door, call, { key, what: ['wanted', contact] }, () =>
        withClient(c, door, call, contact, async (client, caller) => {
          const input = { integration: client.id, contact, key: keyOf(door, call, key) };
          return {
            status: 202,
            body: await perform(world, requireUser(caller), markWanted, input),
          };
        }),
      );
    });

    app.post(`${path}/answer`, limited, async (c) => {
      const call = await verifyCard(deps, c, door);
      const { key, contact, question, decision } = read(answerSchema, call.body);
      return once(c, door, call, { key, what: ['answer', contact, question, decision] }, () =>
        withClient(c, door, call, contact, async (client, caller) => {
          const input = { integration: client.id, contact, question, decision };
          const body = await perform(world, requireUser(caller), answerAtDoor, input);
          return { status: body.answered ? 200 : 202, body };
        }),
      );
    });
  }

  /** Shows the contact. A user who is not linked gets a link to follow. */
  async function show(c: Context<HttpEnv>, door: Door, call: CardCall, contact: string) {
    const isLinked = (await findLink(door, call)) !== undefined;
    const { user, email, account } = call.caller;
    return withClient(c, door, call, contact, async (client, caller, name) => {
      const atDoor = crmAtDoor(toPlace(c, door, client));
      const input = { integration: client.id, contact };
      const shown: DoorContact = await perform(world, caller ?? atDoor, showAtDoor, input);
      const linked = { kind: door.kind, account, user, email };
      const secret = isLinked ? null : createLinkSecret(sealer, linked, clock.now());
      return {
        contact: { ...shown, mayEnhance: caller !== null && shown.mayEnhance },
        user: { name, email, isLinked },
        link: secret && publicAddress(address.url(), `/link/${secret}`),
        page: publicAddress(address.url(), contactPath(client, shown)),
      };
    });
  }

  /**
   * Carries out an action for the contact's client. Several clients can share a CRM account. If a client does not know
   * the contact, the next client is tried.
   */
  async function withClient<Result>(
    c: Context<HttpEnv>,
    door: Door,
    call: CardCall,
    contact: string,
    act: (client: Integration, caller: Caller | null, name: string | null) => Promise<Result>,
  ): Promise<Result> {
    const clients = await findPinned(deps, door.kind, call.caller.account);
    const linked = await findLink(door, call);
    const person = linked && (await findPersonBy(store.reader, 'id', linked.personId));
    const name = person ? readIdentity(sealer, person).name : null;
    const asked = clients.map((client) => {
      const place = toPlace(c, door, client);
      return { client, caller: person ? userAtDoor(place, person, name ?? '') : null };
    });
    let unknown: unknown;
    // A contact can belong to several clients. The clients to which the user has access come first.
    for (const { client, caller } of asked.toSorted(byAccess)) {
      try {
        return await act(client, caller, name);
      } catch (error) {
        if (!isUnknownHere(error)) throw error;
        unknown ??= error;
      }
    }
    throw unknown ?? invalidRequest(`No client has the contact "${contact}".`);
  }

  function findLink({ kind }: Door, { caller: { account, user } }: CardCall) {
    return findCrmUser(store.reader, fingerprintCrmUser(store, { kind, account, user }));
  }

  function toPlace(c: Context<HttpEnv>, { name }: Door, { id }: Integration): AtDoor {
    return { integrationId: id, name, from: getAddress(c) };
  }

  /** Returns the stored key of a click. The key contains the user, so nobody can use another user's key. */
  function keyOf({ kind }: Door, { caller: { account, user } }: CardCall, key: string): string {
    return store.fingerprint('door_reply', `${kind}\n${account}\n${user}\n${key}`);
  }

  /**
   * Carries out a click only once. A CRM repeats failed calls, and a repeated call with the same key gets the first
   * response. Failures are not stored, so a repeated call is carried out again.
   */
  async function once(
    c: Context<HttpEnv>,
    door: Door,
    call: CardCall,
    { key, what }: { key: string; what: readonly string[] },
    act: () => Promise<Reply>,
  ): Promise<Response> {
    const fingerprint = keyOf(door, call, key);
    const request = store.fingerprint('door_reply', JSON.stringify(what));
    const before = await findDoorReply(store.reader, fingerprint);
    if (before !== undefined) {
      if (before.request !== request) throw keyReused();
      const { status, body } = replySchema.parse(JSON.parse(before.reply));
      return c.json(body, status);
    }
    const { status, body } = await act();
    const reply = JSON.stringify({ status, body });
    await saveDoorReply(store.connection, { fingerprint, request, reply });
    return c.json(body, status);
  }
}

const replySchema = z.object({
  status: z.union([z.literal(200), z.literal(202)]),
  body: z.record(z.string(), z.unknown()),
});

function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const { data, error } = schema.safeParse(body);
  if (data !== undefined) return data;
  const path = error?.issues[0]?.path.join('.') ?? '';
  throw invalidRequest(`The body of the call is not as expected${path && ` at "${path}"`}.`);
}

interface Asked {
  caller: Caller | null;
}

function byAccess(one: Asked, other: Asked): number {
  return Number(one.caller === null) - Number(other.caller === null);
}

function isUnknownHere(error: unknown): boolean {
  if (!isConfigurationError(error)) return false;
  return error.code === 'contact_unknown' || error.code === 'hold_unknown';
}

function contactPath({ id }: Integration, { contact }: DoorContact): string {
  return `/clients/${encodeURIComponent(id)}/contacts/${encodeURIComponent(contact)}`;
}

/** Returns the linked user. A linked user without access counts as not linked. */
function requireUser(caller: Caller | null): Caller {
  if (caller !== null) return caller;
  throw new HttpError(
    403,
    'door_user_unlinked',
    'You are not linked to a user of donor-sync with access to this client. Nothing was changed. Follow the link on the card.',
  );
}
