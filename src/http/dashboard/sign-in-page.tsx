import { Layout, type Viewer } from './layout.tsx';
import { CommandLine } from './parts.tsx';

export interface SignInView {
  /** Where to go then: a path of ours. */
  to: string;
  /** True after a token that is none of ours. */
  isRefused: boolean;
}

/** The form for strangers. */
export function SignInPage({ to, isRefused, viewer }: SignInView & { viewer: Viewer }) {
  return (
    <Layout title="Sign in" viewer={viewer}>
      <form class="card sign-in" method="post" action="/sign-in">
        <h1>Sign in</h1>
        <p class="quiet">Runs, credits and what waits for you.</p>
        {isRefused && (
          <p class="refused" role="alert" id="refused">
            That is not a valid access token. Was it revoked, or cut off in copying?
          </p>
        )}
        <input type="hidden" name="to" value={to} />
        <label for="token">Access token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          placeholder="dst_…"
          required
          {...(isRefused ? { 'aria-invalid': 'true', 'aria-describedby': 'refused' } : {})}
        />
        <button type="submit" class="button primary">
          Sign in
        </button>
        <p class="quiet">
          An administrator of donor-sync makes one:{' '}
          <CommandLine text='donor-sync tokens create --role viewer --name "Anna"' />
        </p>
      </form>
    </Layout>
  );
}
