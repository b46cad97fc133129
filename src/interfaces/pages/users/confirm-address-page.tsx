import { Layout, render, type Viewer } from '../frame/layout.tsx';

export interface ConfirmationView {
  /** The address, or null if the link no longer works. */
  url: string | null;
  state: 'asks' | 'confirmed' | 'gone';
  /** The reason why the address was not confirmed, or null before the first attempt. */
  problem: string | null;
  /**
   * True if the browser looks the same as the proposing browser. The user can then state that this is a different
   * device.
   */
  looksSame: boolean;
}

/** Renders the page that a different browser shows at the new address. Opening the page changes nothing. */
export function renderConfirmation(
  viewer: Viewer,
  { url, state, problem, looksSame }: ConfirmationView,
) {
  if (state === 'gone') {
    return render(
      <Layout title="This link no longer works" viewer={viewer} isOnlyPage>
        <div class="card problem">
          <h1>This link no longer works</h1>
          <p>
            A link works once, within 15 minutes, and stops working when an owner sets another
            address. If the address has already been confirmed, you can sign in. If not, an owner
            can create a new link under <em>Users</em>, <em>Address</em>.
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
  if (state === 'confirmed') {
    return render(
      <Layout title="The address is confirmed" viewer={viewer}>
        <div class="card sign-in">
          <h1>The address is confirmed</h1>
          <p>
            donor-sync is now at <strong>{url}</strong>. Invitations lead here, and users can add
            passkeys.
          </p>
          <a class="button primary" href="/sign-in">
            Sign in
          </a>
        </div>
      </Layout>,
    );
  }
  return render(
    <Layout title="Confirm the address" viewer={viewer} isOnlyPage>
      <div class="card sign-in">
        <h1>Confirm the address</h1>
        <p>
          An owner of donor-sync wants to use <strong>{url}</strong>. This browser can reach the
          server at that address, because you can see this page.
        </p>
        {problem !== null && (
          <p class="refused" role="alert" id="refused">
            {problem}
          </p>
        )}
        {/* Without an action, the browser sends the form to the page's address, which contains the one-time value. */}
        <form method="post">
          {looksSame && (
            <label class="tick">
              <input type="checkbox" name="different" value="on" required /> This is a different
              device. The address was entered on another one.
            </label>
          )}
          <button type="submit" class="button primary">
            Confirm
          </button>
        </form>
        <p class="quiet">If you did not expect this, close the page. Nothing changes.</p>
      </div>
    </Layout>,
  );
}
