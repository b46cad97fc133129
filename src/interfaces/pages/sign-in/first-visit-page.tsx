import { Layout, render, type Viewer } from '../frame/layout.tsx';

/** The page of the one-time link. Opening it changes nothing; the button uses the link. */
export function renderFirstVisit(viewer: Viewer) {
  return render(
    <Layout title="First visit" viewer={viewer}>
      <div class="card sign-in">
        <h1>Welcome to donor-sync</h1>
        <p class="quiet">
          This link works once, in one browser on this machine. The button signs you in as the
          owner.
        </p>
        {/* Without an action it goes to the address of the page, which has the secret. */}
        <form method="post">
          <button type="submit" class="button primary">
            Sign in as the owner
          </button>
        </form>
      </div>
    </Layout>,
  );
}
