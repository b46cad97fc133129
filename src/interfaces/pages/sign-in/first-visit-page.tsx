import type { PersonIdentity } from '../../../people/user-accounts.ts';
import type { Visit } from '../../api/request/secret.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { NewPassword } from '../users/new-password.tsx';

/** Renders the page of the one-time link. Opening the page changes nothing. The button on the page uses the link. */
export function renderFirstVisit(viewer: Viewer) {
  return render(
    <Layout title="First visit" viewer={viewer}>
      <div class="card sign-in">
        <h1>Welcome to donor-sync</h1>
        <p class="quiet">
          This link works once, in one browser. Next, you create an owner account, or choose a new
          password for your account.
        </p>
        {/* Without an action, the browser sends the form to the page's address, which contains the secret. */}
        <form method="post">
          <button type="submit" class="button primary">
            Continue
          </button>
        </form>
      </div>
    </Layout>,
  );
}

export interface FirstAccountView {
  visit: Visit;
  /** The typed values, which are blank at first. */
  typed: PersonIdentity;
  /** True if users can sign in with a password. The next page then offers a passkey. */
  hasPasswords: boolean;
  /** The reason why no account was created, or null before the first attempt. */
  problem: string | null;
}

/** Renders the form for the account of the first owner. */
export function renderFirstAccount(viewer: Viewer, view: FirstAccountView) {
  const { visit, typed, hasPasswords, problem } = view;
  const title = visit === 'first' ? 'Create your account' : 'Recover your account';
  return render(
    <Layout title={title} viewer={viewer}>
      <div class="card sign-in">
        <h1>{title}</h1>
        <p class="quiet">
          {visit === 'first'
            ? 'You are the owner: you set up clients, and invite others.'
            : 'The user with this e-mail address gets the new password, and is an owner from now on. If there is no such user, one is created. All recipients of alerts are notified.'}
        </p>
        {problem !== null && (
          <p class="refused" role="alert" id="refused">
            {problem}
          </p>
        )}
        <form method="post" action="/first-visit">
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            value={typed.name}
            autocomplete="name"
            maxlength={100}
            required
          />
          <label for="email">E-mail</label>
          <input
            id="email"
            name="email"
            type="email"
            value={typed.email}
            autocomplete="username"
            maxlength={254}
            required
          />
          {hasPasswords && (
            <NewPassword
              label="Password"
              hint="; four random words make a good one."
              hasProblem={problem !== null}
            />
          )}
          <button type="submit" class="button primary">
            {buttonText(visit, hasPasswords)}
          </button>
        </form>
      </div>
    </Layout>,
  );
}

function buttonText(visit: Visit, hasPasswords: boolean): string {
  if (!hasPasswords) return 'Continue';
  return visit === 'first' ? 'Create account' : 'Set password';
}
