/** Handles the address at which users reach the server. Owners propose it, and a different browser confirms it. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isConfigurationError } from '../../../core/errors.ts';
import { otherWays, setAddress, showAddress } from '../../../operations/address.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { confirm, findLink, isValueOf, readAddresses } from '../../../people/server-address.ts';
import type { AddressRecord } from '../../../people/statements/addresses.ts';
import { findPersonBy } from '../../../people/statements/people.ts';
import { readIdentity } from '../../../people/user-accounts.ts';
import type { Access } from '../../api/access.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { allClientsOnly } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { readForm } from '../../api/request/guards.ts';
import {
  type ClientAddress,
  getHost,
  getHostname,
  requireSameOrigin,
} from '../../api/request/peer.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { ConfirmationView } from './confirm-address-page.tsx';

const SAME_BROWSER =
  'This browser looks like the one in which the address was entered. To find out whether others can reach the server, confirm the address on a different device: scan the QR code with a phone, or send the link to a colleague.';

const confirmationSchema = z.object({ different: z.literal('on').optional() });

export function addressRoutes(
  deps: HttpDeps,
  { access, getAddress }: { access: Access; getAddress: ClientAddress },
  frame: PageFrame,
): Hono<HttpEnv> {
  const { application, address, clock } = deps;
  const { store, sealer } = application;
  const world = toOperationDeps(deps);
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  app.get('/address', frame.see('owner'), allClientsOnly, async (c) => {
    const { principal } = c.var;
    const { reader } = store;
    const shown = await perform(world, getCaller(c), showAddress, {});
    const { proposed } = await readAddresses(reader, address.given);
    const { personId, isProven } = principal;
    const person = personId === null ? null : await findPersonBy(reader, 'id', personId);
    const { renderAddress } = await import('./address-page.tsx');
    c.header('Cache-Control', 'no-store');
    const page = await renderAddress(frame.getViewer(principal), {
      ...shown,
      link: findLink(proposed, sealer, clock.now()),
      isFirst: c.req.query('first') !== undefined,
      hasClients: application.integrations.size > 0,
      proof:
        isProven || person === null
          ? null
          : { email: readIdentity(sealer, person).email, hasPassword: person.password !== null },
    });
    return c.html(page);
  });

  add('/address', setAddress, {
    answer(c) {
      address.forget();
      return c.redirect('/address#link', 303);
    },
  });

  // Link scanners and link previews send GET requests, so only the button on the page confirms the address.
  app.get('/confirm-address/:secret', async (c) => {
    const proposed = await findAsked(c, c.req.param('secret'));
    return proposed === null
      ? gone(c)
      : page(c, { url: proposed.url, state: 'asks', problem: null, looksSame: false });
  });

  app.post('/confirm-address/:secret', async (c) => {
    const proposed = await findAsked(c, c.req.param('secret'));
    if (proposed === null) return gone(c);
    const { url } = proposed;
    // If the browser used the same host name with a different port or scheme, the page reports the difference and
    // confirms nothing.
    if (!isNear(c.req.header('origin'), url)) requireSameOrigin(c, url, 'refused');
    const detour = findDetour(c, proposed);
    if (detour !== null) return page(c, { url, state: 'asks', problem: detour, looksSame: false });
    const { different } = confirmationSchema.parse(await readForm(c));
    if (different === undefined && looksSame(c, proposed)) {
      return page(c, { url, state: 'asks', problem: SAME_BROWSER, looksSame: true });
    }
    const actor = { kind: 'session', name: null, from: getAddress(c) } as const;
    const { act } = store.actingAs(actor);
    try {
      const ways = otherWays({ application });
      if (!(await act((trx) => confirm(trx, sealer, proposed, ways)))) return gone(c);
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      return page(c, { url, state: 'asks', problem: error.message, looksSame: false });
    }
    address.forget();
    return page(c, { url, state: 'confirmed', problem: null, looksSame: false });
  });
  return app;

  /**
   * Returns the proposed address that belongs to this one-time value. Returns null if the value is wrong, used,
   * replaced or too old.
   */
  async function findAsked(c: Context<HttpEnv>, value: string): Promise<AddressRecord | null> {
    const { proposed } = await readAddresses(store.reader, address.given);
    const isRight = proposed !== null && isValueOf(proposed, sealer, value);
    if (!isRight) access.noteWrong(c);
    return isRight && (proposed.until ?? 0) > clock.now() ? proposed : null;
  }

  /**
   * Returns the reason why this request does not prove that other computers can reach the server at the address.
   * Returns null if the request proves that other computers can reach the server.
   */
  function findDetour(c: Context<HttpEnv>, { url }: AddressRecord): string | null {
    const wanted = new URL(url);
    const origin = c.req.header('origin');
    if (origin !== wanted.origin) {
      return `The address is ${wanted.origin}, but this browser is at ${origin ?? 'another one'}. Open the link as it is shown.`;
    }
    if (getHostname(c) !== wanted.hostname) {
      return `The request arrived under the name "${getHost(c)}". The proxy has to pass on the name that the browser uses (the header Host), for example with "proxy_set_header Host $host" in nginx.`;
    }
    const proto = c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim();
    if (proto === 'http' && wanted.protocol === 'https:') {
      return 'The proxy reports that the request came over plain http (X-Forwarded-Proto), so nobody could sign in. Configure the proxy to report the protocol that the browser uses.';
    }
    return null;
  }

  /**
   * True if someone may have proposed the address in this same browser. Two identical computers in an office also look
   * like the same browser.
   */
  function looksSame(c: Context<HttpEnv>, { browser }: AddressRecord): boolean {
    return browser !== null && browser === access.fingerprintBrowser(c);
  }

  function gone(c: Context<HttpEnv>) {
    return page(c, { url: null, state: 'gone', problem: null, looksSame: false });
  }

  async function page(c: Context<HttpEnv>, view: ConfirmationView) {
    const { renderConfirmation } = await import('./confirm-address-page.tsx');
    c.header('Cache-Control', 'no-store');
    const status = view.state === 'gone' ? 404 : view.problem === null ? 200 : 422;
    return c.html(await renderConfirmation(frame.getViewer(null), view), status);
  }
}

/** True for an origin that has the address's host name but a different scheme or port. */
function isNear(origin: string | undefined, url: string): boolean {
  const came = URL.parse(origin ?? '');
  return came !== null && came.origin !== url && came.hostname === new URL(url).hostname;
}
