/** The routes of `/settings/currencies/{version}` for the account's currencies and exchange rates. */

import type { Hono } from 'hono';
import type { Account } from '../account/account.ts';
import { isoTime } from '../properties/property.ts';
import { createRouter, DATED_VERSIONS, type HubspotEnv } from '../requests/context.ts';
import { needScope } from '../requests/scopes.ts';

/** The paths of the currency routes. The version comes last in paths with a date, and first in older paths. */
export const CURRENCY_PATHS = [
  '/settings/v3/currencies',
  ...DATED_VERSIONS.map((version) => `/settings/currencies/${version}`),
];

/** Returns the company currency, and the current exchange rates. */
export function currencyRoutes({ currencies }: Account): Hono<HubspotEnv> {
  const router = createRouter();
  router.use(needScope('settings.currencies.read', 'settings.currencies.write'));
  router.get('/company-currency', (c) => {
    const currencyCode = currencies.company();
    return c.json({ id: currencyCode, currencyCode });
  });
  router.get('/exchange-rates/current', (c) => {
    const results = currencies.rates().map(({ id, from, rate, createdAtMs, updatedAtMs }) => ({
      id,
      fromCurrencyCode: from,
      toCurrencyCode: currencies.company(),
      conversionRate: rate,
      effectiveAt: isoTime(updatedAtMs),
      createdAt: isoTime(createdAtMs),
      updatedAt: isoTime(updatedAtMs),
      visibleInUI: true,
    }));
    return c.json({ results });
  });
  return router;
}
