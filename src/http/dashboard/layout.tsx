/** What every page has round its content. */
import type { PropsWithChildren } from 'hono/jsx';
import { readPageAssets } from '../assets.ts';
import type { Principal } from '../request/context.ts';

/** What pages know of the moment and of the user. */
export interface Viewer {
  /** Null for a user who has not signed in. */
  principal: Principal | null;
  /** Epoch ms. */
  now: number;
  /** The version of the program. */
  version: string;
}

/** A whole page. */
export function Layout(props: PropsWithChildren<{ title: string; viewer: Viewer }>) {
  const { title, viewer, children } = props;
  const { styles, script, icon } = readPageAssets();
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · donor-sync`}</title>
        <link rel="icon" href={icon.href} type="image/svg+xml" />
        <link rel="stylesheet" href={styles.href} />
        <script src={script.href} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={icon.href} alt="" width="28" height="28" />
            donor-sync
          </a>
          <Account principal={viewer.principal} />
        </header>
        <p id="offline" class="offline" role="status" hidden>
          The service does not answer. What you see is how things stood before.
        </p>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer class="bottom">
          <span>donor-sync {viewer.version}</span>
          <a href="/docs">HTTP API</a>
          <noscript>Reload the page to see how things stand now.</noscript>
        </footer>
      </body>
    </html>
  );
}

function Account({ principal }: { principal: Principal | null }) {
  if (principal === null) return null;
  if (principal.kind !== 'session') return <span class="account">On this machine</span>;
  return (
    <form class="account" method="post" action="/sign-out">
      <span>
        {principal.name} <span class="quiet">({principal.role})</span>
      </span>
      <button type="submit" class="button small">
        Sign out
      </button>
    </form>
  );
}
