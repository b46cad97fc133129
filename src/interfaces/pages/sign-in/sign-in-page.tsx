import type { PasskeyOffer } from '../../../people/sign-in/passkeys.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { CommandLine } from '../frame/parts.tsx';
import { PasskeyForm } from '../users/passkey-parts.tsx';

export interface SignInView {
  /** The path of the page to show after the sign-in. */
  to: string;
  /** The sign-in method that was refused, or null before the first attempt. */
  refused: 'token' | 'password' | 'passwords' | 'provider' | 'passkey' | null;
  /** True if at least one user can sign in. */
  hasPeople: boolean;
  /** True if users can sign in with a password. */
  hasPasswords: boolean;
  /** The request for a passkey, or null if passkeys are not possible. */
  passkey: PasskeyOffer | null;
  /** The name of the identity provider, or null if there is none. */
  provider: string | null;
}

/** Renders the form for visitors who are not signed in. */
export function renderSignIn(viewer: Viewer, view: SignInView) {
  const { to, refused, hasPeople, hasPasswords, passkey, provider } = view;
  return render(
    <Layout title="Sign in" viewer={viewer} assets={passkey === null ? [] : ['passkeyScript']}>
      <div class="card sign-in">
        <h1>Sign in</h1>
        <p class="quiet">Runs, credits and pending decisions.</p>
        {refused === 'provider' && (
          <p class="refused" role="alert">
            {provider ?? 'The identity provider'} could not sign you in. Either it took longer than
            ten minutes, or nobody has invited you with the e-mail address that it knows you by. Ask
            an owner.
          </p>
        )}
        {refused === 'passwords' && (
          <p class="refused" role="alert">
            You can't sign in with a password here. Use a passkey
            {provider === null ? '' : ` or ${provider}`}. If you have lost your passkey, ask an
            owner for a new link.
          </p>
        )}
        {refused === 'passkey' && (
          <p class="refused" role="alert">
            This passkey was not accepted. The passkey is not registered here or has been removed,
            or the sign-in took more than five minutes. Try again, sign in another way, or ask an
            owner for a new link.
          </p>
        )}
        {provider !== null && (
          <a class="button primary" href={`/sign-in/provider?to=${encodeURIComponent(to)}`}>
            Sign in with {provider}
          </a>
        )}
        {passkey !== null && (
          <PasskeyForm
            offer={passkey}
            kind="get"
            action="/sign-in"
            page="/sign-in"
            label="Sign in with a passkey"
            isAutofill
          >
            <input type="hidden" name="to" value={to} />
          </PasskeyForm>
        )}
        {hasPasswords && <PasswordForm to={to} isRefused={refused === 'password'} />}
        {hasPeople ? (
          <details open={refused === 'token'}>
            <summary>With an access token</summary>
            <TokenForm to={to} isRefused={refused === 'token'} isFirst={false} />
          </details>
        ) : (
          <TokenForm to={to} isRefused={refused === 'token'} isFirst={provider === null} />
        )}
      </div>
    </Layout>,
  );
}

function PasswordForm({ to, isRefused }: { to: string; isRefused: boolean }) {
  return (
    <form method="post" action="/sign-in">
      {isRefused && (
        <p class="refused" role="alert" id="refused">
          The e-mail address or the password is wrong.
        </p>
      )}
      <input type="hidden" name="to" value={to} />
      <label for="email">E-mail</label>
      <input id="email" name="email" type="email" autocomplete="username webauthn" required />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        {...(isRefused ? { 'aria-invalid': 'true', 'aria-describedby': 'refused' } : {})}
      />
      <button type="submit" class="button primary">
        Sign in
      </button>
      <p class="quiet">
        Forgot your password? An owner can create a new link for you. If you are the only owner, the
        server can be restarted with <code>serve --recover</code>.
      </p>
    </form>
  );
}

function TokenForm(props: { to: string; isRefused: boolean; isFirst: boolean }) {
  const { to, isRefused, isFirst } = props;
  return (
    <form method="post" action="/sign-in">
      {isRefused && (
        <p class="refused" role="alert" id="refused">
          This is not a valid access token. It might have been revoked, or you might not have copied
          all of it.
        </p>
      )}
      <input type="hidden" name="to" value={to} />
      <label for="token">Access token</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete={isFirst ? 'current-password' : 'off'}
        placeholder="dst_…"
        required
        {...(isRefused ? { 'aria-invalid': 'true', 'aria-describedby': 'refused' } : {})}
      />
      <button type="submit" class={isFirst ? 'button primary' : 'button'}>
        Sign in{isFirst ? '' : ' with the token'}
      </button>
      <p class="quiet">
        An administrator of donor-sync can create one:{' '}
        <CommandLine text='donor-sync tokens create --role viewer --name "Anna"' />
      </p>
    </form>
  );
}
