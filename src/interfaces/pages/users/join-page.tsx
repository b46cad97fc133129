import type { PasskeyOffer } from '../../../people/sign-in/passkeys.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { NewPassword } from './new-password.tsx';
import { PasskeyForm } from './passkey-parts.tsx';

export interface JoinView {
  name: string;
  email: string;
  /** True for a new user. False for a user who has already joined and has forgotten the password. */
  isNew: boolean;
  /** The request for a passkey, or null if passkeys are not available. */
  passkey: PasskeyOffer | null;
  /** The reason why the password or the passkey was not accepted. */
  problem: string | null;
}

/** Renders the page of an invitation link. `view` is null if the link is invalid or has expired. */
export function renderJoin(viewer: Viewer, view: JoinView | null) {
  if (view === null) {
    return render(
      <Layout title="This link no longer works" viewer={viewer}>
        <div class="card problem">
          <h1>This link no longer works</h1>
          <p>
            A link works once, within seven days at most, and stops working when a newer link is
            created. The user who invited you can create another one.
          </p>
          <p>
            <a class="button" href="/sign-in">
              To the sign-in
            </a>
          </p>
        </div>
      </Layout>,
    );
  }
  const { name, email, isNew, passkey, problem } = view;
  return render(
    <Layout
      title={isNew ? 'Join' : 'A new password'}
      viewer={viewer}
      assets={passkey === null ? [] : ['passkeyScript']}
    >
      <div class="card sign-in">
        <h1>{isNew ? `Welcome, ${name}` : 'A new password'}</h1>
        <p class="quiet">
          {isNew ? 'Choose a password. From then on you sign in with it and' : 'You sign in with'}{' '}
          <strong>{email}</strong>.
        </p>
        {problem !== null && (
          <p class="refused" role="alert" id="refused">
            {problem}
          </p>
        )}
        {/* Without an action, the browser sends the form to the page's address, which contains the secret. */}
        <form method="post">
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <NewPassword
            label="Password"
            hint="; four random words make a good one."
            hasProblem={problem !== null}
          />
          <button type="submit" class="button primary">
            {isNew ? 'Join' : 'Take it'}
          </button>
        </form>
        {passkey !== null && (
          <PasskeyForm offer={passkey} kind="create" label="Use a passkey instead">
            <p class="quiet">
              Or sign in with the fingerprint, face or PIN that unlocks this device. You don't need
              a password then{isNew ? '' : ', and your current password stops working'}.
            </p>
          </PasskeyForm>
        )}
      </div>
    </Layout>,
  );
}
