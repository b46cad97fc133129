import type { z } from 'zod';
import { describeCount } from '../../../core/quantities.ts';
import type { showAddress } from '../../../operations/address.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { Fact, Status, Timestamp } from '../frame/parts.tsx';
import { QrCode } from './qr-code.tsx';

export interface AddressView extends z.output<typeof showAddress.result> {
  /** The link that confirms the proposed address, or null if there is no proposal. */
  link: string | null;
  /** True immediately after the first owner has created an account. */
  isFirst: boolean;
  hasClients: boolean;
  /** The account of an owner who must confirm their identity first. Null if no confirmation is needed. */
  proof: { email: string; hasPassword: boolean } | null;
}

/** Renders the address at which other users reach the server. */
export function renderAddress(viewer: Viewer, view: AddressView) {
  const { from, link, isFirst, hasClients, proof } = view;
  const isOpen = from !== 'settings';
  return render(
    <Layout area="users" title="Address" viewer={viewer} assets={['addressStyles']}>
      <section class="card" aria-labelledby="address-title">
        <h1 id="address-title">
          {isFirst ? 'At which address do your colleagues reach donor-sync?' : 'Address'}
        </h1>
        <div class="address" id="address-state" data-live>
          <State viewer={viewer} view={view} />
        </div>
      </section>
      {isOpen && proof !== null && <Proof {...proof} />}
      {isOpen && (
        <section class="card" aria-labelledby="change-title">
          <h2 id="change-title">
            {from === 'confirmed' ? 'Change the address' : 'Set the address'}
          </h2>
          <form class="fields" method="post" action="/address">
            <label for="url">Address</label>
            <input
              id="url"
              name="url"
              type="text"
              inputmode="url"
              autocomplete="off"
              spellcheck={false}
              maxlength={300}
              placeholder="https://donors.example.org"
              aria-describedby="url-hint"
              required
            />
            <p class="quiet" id="url-hint">
              The address starts with https:// and a host name. Nothing changes until the address
              has been confirmed in another browser.
            </p>
            {from === 'confirmed' && <Consequences view={view} />}
            <button type="submit" class={link === null ? 'button primary' : 'button'}>
              {link === null ? 'Create the link' : 'Create another link'}
            </button>
          </form>
        </section>
      )}
      {isOpen && <Outside />}
      {from !== 'confirmed' && (
        <p>
          <a class="button" href={hasClients ? '/' : '/setup'}>
            {isFirst ? 'Later: set up the first client now' : 'Back to the clients'}
          </a>
        </p>
      )}
    </Layout>,
  );
}

function State({ viewer, view }: { viewer: Viewer; view: AddressView }) {
  const { url, from, confirmedAt, former, proposed, link } = view;
  return (
    <>
      {from === 'settings' && (
        <>
          <dl class="facts">
            <Fact name="Address">
              <code>{url}</code>
            </Fact>
          </dl>
          <p class="quiet">
            The settings file names it (<code>server.publicUrl</code>), so it cannot be changed
            here.
          </p>
        </>
      )}
      {from === 'default' && (
        <p>
          <Status kind="attention" word="Works on this computer only" />{' '}
          <span class="quiet">
            You cannot invite anyone or use passkeys until the address is confirmed. Everything else
            works.
          </span>
        </p>
      )}
      {from === 'confirmed' && (
        <dl class="facts">
          <Fact name="Address">
            <a href={url}>{url}</a>
          </Fact>
          {confirmedAt !== null && (
            <Fact name="Confirmed">
              <Timestamp at={confirmedAt} now={viewer.now} />
            </Fact>
          )}
          {former.map((each) => (
            <Fact name="Also accepted">
              {each.url}
              <span class="quiet detail">
                until <Timestamp at={each.until} now={viewer.now} as="moment" />
              </span>
            </Fact>
          ))}
        </dl>
      )}
      {from !== 'settings' && <Lost view={view} />}
      {proposed !== null && link !== null && (
        <div id="link" data-unconfirmed>
          <h2>Open this on another device</h2>
          <div class="address-link">
            <QrCode text={link} label={`QR code of the link that confirms ${proposed.url}`} />
            <div>
              <p>
                Scan the code with a phone, or send the link to a colleague. Press <em>Confirm</em>{' '}
                there: this shows that others can reach the server.
              </p>
              <p>
                <a href={link} rel="noreferrer">
                  {link}
                </a>
              </p>
              <p class="quiet">
                It works once, until <Timestamp at={proposed.until} now={viewer.now} as="moment" />.
                This page shows whether the address is confirmed. The server itself does not test
                the address.
              </p>
            </div>
          </div>
        </div>
      )}
    </>
  );
}

/** Renders the users whose passkeys stopped working because of the new address. */
function Lost({ view: { lostPasskeys } }: { view: AddressView }) {
  if (lostPasskeys.length === 0) return null;
  return (
    <p>
      {describeCount(lostPasskeys.length, 'user')} cannot use their passkeys here, because passkeys
      belong to a host name: {lostPasskeys.map(({ name }) => name).join(', ')}. They can sign in
      another way, or you can create a new link for them under <a href="/users">Users</a>.
    </p>
  );
}

function Consequences({ view: { keptPasskeys } }: { view: AddressView }) {
  return (
    <p class="quiet">
      The current address is accepted for 24 more hours.{' '}
      {keptPasskeys.length > 0 &&
        `With another host name, the passkeys of these users stop working: ${keptPasskeys
          .map(({ name }) => name)
          .join(', ')}.`}
    </p>
  );
}

/**
 * Renders the proof of identity. Owners need it before they change the address, because all users' links contain this
 * address.
 */
function Proof({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  return (
    <section class="card" aria-labelledby="proof-title">
      <h2 id="proof-title">Confirm your identity first</h2>
      <p class="quiet">
        You signed in more than ten minutes ago. After you confirm your identity, you can set the
        address for ten minutes.
      </p>
      {hasPassword ? (
        <form class="fields" method="post" action="/account/proof">
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <input type="hidden" name="next" value="/address" />
          <label for="proof">Your password</label>
          <input
            id="proof"
            name="password"
            type="password"
            required
            autocomplete="current-password"
          />
          <button type="submit" class="button">
            Confirm your identity
          </button>
        </form>
      ) : (
        <p>
          <a class="button" href="/account#passkeys">
            Use your passkey under My account
          </a>
        </p>
      )}
    </section>
  );
}

/**
 * Renders the steps that the user has to take outside donor-sync. donor-sync itself never makes the server accessible
 * from the network.
 */
function Outside() {
  return (
    <section class="card" aria-labelledby="outside-title">
      <h2 id="outside-title">Set-up outside donor-sync</h2>
      <p class="quiet">
        donor-sync never opens itself to the network. Your server's administrator does this once:
      </p>
      <ol class="outside">
        <li>
          A name in your DNS, such as <code>donors.example.org</code>, leads to the server.
        </li>
        <li>
          A reverse proxy with a TLS certificate (Caddy, nginx, or your hosting company's proxy)
          responds at https:// and forwards requests to this server. It passes on the host name (
          <code>Host</code>) and reports <code>X-Forwarded-For</code> and{' '}
          <code>X-Forwarded-Proto</code>. With Caddy,{' '}
          <code>donors.example.org {'{ reverse_proxy 127.0.0.1:8787 }'}</code> is enough. If this
          server listens on another port, replace 8787 with that port.
        </li>
        <li>
          If the proxy runs on another machine, or in another container, start donor-sync with{' '}
          <code>serve --host 0.0.0.0</code>, and name the proxy in{' '}
          <code>server.trustedProxies</code>.
        </li>
      </ol>
    </section>
  );
}
