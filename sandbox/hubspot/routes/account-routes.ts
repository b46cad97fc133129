/** The routes for the account and for the owner of its records. */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type Account, OWNER } from '../account/account.ts';
import { HubspotError } from '../core/errors.ts';
import { isoTime } from '../properties/property.ts';
import { createRouter, type HubspotEnv, readQuery } from '../requests/context.ts';
import { type Limits, UTC_OFFSET_MS } from '../requests/limits.ts';
import { needScope } from '../requests/scopes.ts';

/** The time since which the owner exists, which is long before the account's first contact. */
const OWNER_SINCE_MS = Date.parse('2021-06-01T14:00:00.000Z');

/** The routes of `/account-info/{version}`. */
export function accountRoutes(
  limits: Limits,
  { clock, currencies, portalId }: Pick<Account, 'clock' | 'currencies' | 'portalId'>,
): Hono<HubspotEnv> {
  const router = createRouter();
  router.get('/details', needScope('oauth'), (c) =>
    c.json({
      portalId,
      accountType: 'STANDARD',
      timeZone: 'US/Eastern',
      companyCurrency: currencies.company(),
      additionalCurrencies: currencies.rates().map(({ from }) => from),
      utcOffset: '-05:00',
      utcOffsetMilliseconds: UTC_OFFSET_MS,
      uiDomain: 'app.hubspot.com',
      dataHostingLocation: 'na1',
    }),
  );
  router.get('/api-usage/daily/private-apps', needScope('oauth'), (c) =>
    c.json({
      results: [
        {
          name: 'private-apps-api-calls-daily',
          usageLimit: limits.dailyLimit,
          currentUsage: limits.usedToday(),
          collectedAt: isoTime(clock()),
          fetchStatus: 'SUCCESS',
          resetsAt: isoTime(limits.dayEndsAtMs()),
        },
      ],
    }),
  );
  return router;
}

/** The routes of `/crm/owners/{version}`, for an account with only one owner. */
export function ownerRoutes(): Hono<HubspotEnv> {
  const router = createRouter();
  router.use(needScope('crm.objects.owners.read'));
  router.get('/', (c) => {
    const { email = OWNER.email } = readQuery(c, emailQuery);
    return c.json({ results: email === OWNER.email ? [ownerBody()] : [] });
  });
  router.get('/:ownerId', (c) => {
    const ownerId = c.req.param('ownerId');
    if (ownerId === OWNER.ownerId) return c.json(ownerBody());
    throw new HubspotError(404, 'OBJECT_NOT_FOUND', `No owner has the id ${ownerId}.`);
  });
  return router;
}

const emailQuery = z.object({ email: z.string().optional() });

function ownerBody() {
  const { ownerId: id, ...owner } = OWNER;
  const since = isoTime(OWNER_SINCE_MS);
  const userIdIncludingInactive = owner.userId;
  return {
    id,
    ...owner,
    userIdIncludingInactive,
    type: 'PERSON',
    createdAt: since,
    updatedAt: since,
    archived: false,
  };
}
