import { MAIL_RULES, type MailKind } from '../../../core/mail-kinds.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';

/** Renders the page that confirms a mail address. The link in a mail leads to it. Opening the page changes nothing. */
export function renderConfirmMail(viewer: Viewer, code: string) {
  return render(
    <Layout title="Confirm your e-mail address" viewer={viewer}>
      <div class="card sign-in">
        <h1>Confirm your e-mail address</h1>
        <p>You opened the link in a mail, so mail to your address arrives.</p>
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
  /** The kind of mail, or null for a link that is not ours. */
  kind: MailKind | null;
  state: 'asks' | 'stopped' | 'wrong';
}

/**
 * Renders the page that stops a monthly mail. The link in each mail leads to it. It needs no session. Opening the page
 * changes nothing.
 */
export function renderStopMail(viewer: Viewer, { kind, state }: StopView) {
  if (kind === null || state === 'wrong') {
    return render(
      <Layout title="This link does not work" viewer={viewer}>
        <div class="card problem">
          <h1>This link does not work</h1>
          <p>
            Perhaps it was cut off. Copy the whole link from the mail, or sign in and turn the mail
            off under <em>My account</em>. Nothing was changed.
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
      <Layout title="The mail is stopped" viewer={viewer}>
        <div class="card sign-in">
          <h1>The mail “{name}” is stopped</h1>
          <p>
            It is not sent any more. You can turn it on again under <em>My account</em>.
          </p>
        </div>
      </Layout>,
    );
  }
  return render(
    <Layout title={`Stop the mail ${name}`} viewer={viewer}>
      <div class="card sign-in">
        <h1>Stop the mail “{name}”?</h1>
        <p>donor-sync sends it once a month. You can turn it on again at any time.</p>
        {/* Without an action it goes to the address of the page, which has the proof. */}
        <form method="post">
          <button type="submit" class="button primary">
            Stop it
          </button>
        </form>
      </div>
    </Layout>,
  );
}
