import { MAIL_RULES, type MailKind } from '../../../core/mail-kinds.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';

/**
 * Renders the page that confirms an email address. A link in an email opens this page. Opening the page changes
 * nothing.
 */
export function renderConfirmMail(viewer: Viewer, code: string) {
  return render(
    <Layout title="Confirm your email address" viewer={viewer}>
      <div class="card sign-in">
        <h1>Confirm your email address</h1>
        <p>You opened the link in our email, so emails to your address arrive.</p>
        <form method="post" action="/account/mails-confirmed">
          <input type="hidden" name="code" value={code} />
          <button type="submit" class="button primary">
            Confirm
          </button>
        </form>
      </div>
    </Layout>,
  );
}

interface StopView {
  /** The kind of email, or null if donor-sync did not create the link. */
  kind: MailKind | null;
  state: 'asks' | 'stopped' | 'wrong';
}

/**
 * Renders the page that stops a monthly email. A link in each monthly email opens this page. The page needs no session.
 * Opening the page changes nothing.
 */
export function renderStopMail(viewer: Viewer, { kind, state }: StopView) {
  if (kind === null || state === 'wrong') {
    return render(
      <Layout title="This link does not work" viewer={viewer}>
        <div class="card problem">
          <h1>This link does not work</h1>
          <p>
            Perhaps it was cut off. Copy the whole link from the email. You can also sign in and
            turn off the email under <em>My account</em>. Nothing was changed.
          </p>
          <p>
            <a class="button" href="/account">
              To my account
            </a>
          </p>
        </div>
      </Layout>,
    );
  }
  const { name } = MAIL_RULES[kind];
  if (state === 'stopped') {
    return render(
      <Layout title="The email is turned off" viewer={viewer}>
        <div class="card sign-in">
          <h1>The email “{name}” is turned off</h1>
          <p>
            donor-sync does not send it any more. You can turn it on again under <em>My account</em>
            .
          </p>
        </div>
      </Layout>,
    );
  }
  return render(
    <Layout title={`Turn off the email ${name}`} viewer={viewer}>
      <div class="card sign-in">
        <h1>Turn off the email “{name}”?</h1>
        <p>donor-sync sends it once a month. You can turn it on again at any time.</p>
        {/* Without an action, the browser sends the form to the page's address, which contains the proof. */}
        <form method="post">
          <button type="submit" class="button primary">
            Turn it off{' '}
          </button>
        </form>
      </div>
    </Layout>,
  );
}
