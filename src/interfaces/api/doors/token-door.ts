/** The routes /doors/token/… for CRMs that call with a door token, such as Salesforce's External Services. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  type DoorTokenRecord,
  findDoorToken,
  recordDoorTokenUse,
} from '../../../clients/statements/door-tokens.ts';
import { findIntegrationState } from '../../../clients/statements/integrations.ts';
import { formatTimestamp } from '../../../core/quantities.ts';
import {
  DOOR_DOCUMENT_PATH,
  DOOR_PATHS,
  doorDocument,
  TOKEN_DOOR,
} from '../../../core/token-door.ts';
import { type DoorContact, showAtDoor } from '../../../operations/doors/contact.ts';
import { enhanceAtDoor } from '../../../operations/doors/enhance.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { hashToken } from '../../../people/access-token.ts';
import { contactHref } from '../../pages/contacts/contact-href.ts';
import { toOperationDeps } from '../request/caller.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import type { ClientAddress } from '../request/peer.ts';
import { contactSchema, createRouter, failure, json, problems } from '../request/router.ts';
import type { Attempts } from '../sign-in/attempts.ts';
import { crmAtDoor } from './door-caller.ts';

/** The maximum length of an account ID. No CRM has longer IDs. */
const MAX_ACCOUNT_LENGTH = 255;

const params = z.object({ integration: z.string(), contact: contactSchema });

const org = z.string().min(1).max(MAX_ACCOUNT_LENGTH).openapi({
  description: 'The ID of the CRM account that calls.',
});

const refusals = {
  401: failure('The door token is missing or unknown.'),
  403: failure(
    'The token is for another client, or the client is connected to another CRM account.',
  ),
  ...problems.notFound,
  409: failure('The limit of the day is reached, or the client has not synced yet.'),
  ...problems.invalid,
  429: failure('Too many wrong tokens came from this address; Retry-After tells when to retry.'),
};

const DOOR = { tags: ['Doors'], security: [] };

const statusRoute = createRoute({
  ...DOOR,
  method: 'get',
  path: `${TOKEN_DOOR}/{integration}${DOOR_PATHS.status}`,
  summary: 'Read the status of one contact',
  description:
    'For a CRM with a door token (`Authorization: Bearer dsd_…`). The response contains no name and no value.',
  request: { params, query: z.object({ org }) },
  responses: {
    200: {
      description: 'The status, as text to show to a user.',
      ...json(
        z
          .object({
            contact: z.string(),
            status: z.string(),
            canEnhance: z.boolean(),
            link: z.string(),
          })
          .openapi('DoorStatus'),
      ),
    },
    ...refusals,
  },
});

const enhanceRoute = createRoute({
  ...DOOR,
  method: 'post',
  path: `${TOKEN_DOOR}/{integration}${DOOR_PATHS.enhance}`,
  summary: 'Mark one contact as wanted',
  description:
    'An ordinary run for this contact decides by all rules of the client. A repeated click counts once. Beyond the limit of the day, nothing is marked.',
  request: {
    params,
    query: z.object({
      org,
      click: z.string().min(8).max(200).openapi({
        description: 'Identifies the click. A repeated request with the same value counts once.',
      }),
    }),
  },
  responses: {
    202: {
      description: 'The contact is marked.',
      ...json(
        z
          .object({
            contact: z.string(),
            message: z.string(),
            left: z.int(),
            link: z.string(),
          })
          .openapi('DoorReceipt'),
      ),
    },
    ...refusals,
  },
});

const documentRoute = createRoute({
  ...DOOR,
  method: 'get',
  path: DOOR_DOCUMENT_PATH,
  summary: 'The description of the door for External Services',
  description: 'OpenAPI 3.0, the same for all clients. It contains no secret.',
  responses: { 200: { description: 'The document.', ...json(z.record(z.string(), z.unknown())) } },
});

export function tokenDoorRoutes(deps: HttpDeps, attempts: Attempts, getAddress: ClientAddress) {
  const { store } = deps.application;

  /**
   * Admits a call. The call's token must belong to this client, and the call must come from the client's CRM account.
   * Throws an HttpError: 401, 403, 409 for a client without an account, or 429 after too many wrong tokens.
   */
  async function admit(
    c: Context<HttpEnv>,
    integrationId: string,
    account: string,
  ): Promise<DoorTokenRecord> {
    const secret = /^Bearer +(\S+)$/i.exec(c.req.header('authorization')?.trim() ?? '')?.[1];
    const token =
      secret === undefined ? undefined : await findDoorToken(store.reader, hashToken(secret));
    if (token === undefined) {
      const address = getAddress(c);
      attempts.requireAllowed(address);
      attempts.noteFailure(address);
      throw unknownToken();
    }
    // The response must not reveal whether another client exists.
    if (token.integrationId !== integrationId) throw otherClient();
    const { crmAccount } = await findIntegrationState(store.reader, integrationId);
    if (crmAccount === null) throw notConnected();
    if (crmAccount !== store.fingerprint('crm_account', account)) throw otherAccount();
    await recordDoorTokenUse(store.connection, token);
    return token;
  }

  function callerOf(c: Context<HttpEnv>, { integrationId, name }: DoorTokenRecord) {
    return crmAtDoor({ integrationId, name, from: getAddress(c) });
  }

  function linkTo(integrationId: string, crmId: string): string {
    return `${deps.address.url()}${contactHref(integrationId, crmId)}`;
  }

  const app = createRouter();
  app.openapi(documentRoute, (c) => c.json(doorDocument(), 200));
  app.openapi(statusRoute, async (c) => {
    const { integration, contact } = c.req.valid('param');
    const token = await admit(c, integration, c.req.valid('query').org);
    const input = { integration, contact };
    const shown = await perform(toOperationDeps(deps), callerOf(c, token), showAtDoor, input);
    return c.json(
      {
        contact: shown.contact,
        status: describeStatus(shown),
        canEnhance: shown.mayEnhance && shown.wanted === null && !shown.hasQuestion,
        link: linkTo(integration, shown.contact),
      },
      200,
    );
  });
  app.openapi(enhanceRoute, async (c) => {
    const { integration, contact } = c.req.valid('param');
    const { org: account, click } = c.req.valid('query');
    const token = await admit(c, integration, account);
    const input = { integration, contact, click, token: token.id };
    const { left } = await perform(toOperationDeps(deps), callerOf(c, token), enhanceAtDoor, input);
    return c.json({ contact, message: MARKED, left, link: linkTo(integration, contact) }, 202);
  });
  return app;
}

const MARKED =
  'donor-sync enhances this contact now, for at most one credit. Refresh the page in a few minutes to see the profile.';

/** Describes the contact's status in sentences. The sentences contain nothing about the person. */
function describeStatus({ wanted, hasQuestion, status, paidAt }: DoorContact): string {
  if (wanted !== null) {
    return wanted.isRunning
      ? 'A run is working on this contact now. Refresh the page in a few minutes.'
      : 'This contact is marked as wanted. The next run enhances it.';
  }
  if (hasQuestion) return 'This contact waits for a decision. Open it in donor-sync to decide.';
  const enhanced =
    paidAt === null
      ? 'No credit was spent on this contact yet.'
      : `The last credit for this contact was spent on ${formatTimestamp(paidAt)}.`;
  return status === null
    ? `No run has read this contact yet. ${enhanced}`
    : `Last run: ${status}. ${enhanced}`;
}

function unknownToken(): HttpError {
  return new HttpError(
    401,
    'door_token_unknown',
    'The door token is missing or unknown. Nothing was done. An owner creates one with `donor-sync tokens create-door`, and an administrator enters it in the CRM.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="donor-sync"' } },
  );
}

function otherClient(): HttpError {
  return new HttpError(
    403,
    'door_client_other',
    'This door token is for another client. Nothing was done. Check the address in the CRM.',
  );
}

function notConnected(): HttpError {
  return new HttpError(
    409,
    'door_not_connected',
    'This client has not synced with its CRM yet, so donor-sync does not know its account. Nothing was done. Run a first sync, then try again.',
  );
}

function otherAccount(): HttpError {
  return new HttpError(
    403,
    'door_account_other',
    'This CRM account is not the one that the client is connected to, for example because it is a sandbox. Its contacts can be other people. Nothing was done.',
  );
}
