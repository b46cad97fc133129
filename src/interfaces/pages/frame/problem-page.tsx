import { explain } from '../../../core/codes/explain.ts';
import { guideAddress } from '../../../core/guide-address.ts';
import { Layout, render, type Viewer } from './layout.tsx';

/** An error, as in the API's responses. */
export interface Problem {
  code: string;
  message: string;
}

/**
 * Renders the page that follows if a form was sent without a session, in a browser without scripts. `page` contains the
 * form.
 */
export function renderSessionEnded(viewer: Viewer, page: string) {
  return render(
    <Layout title="Sign in again" viewer={viewer}>
      <div class="card problem">
        <h1>Sign in again</h1>
        <p data-problem>Your session has ended. Nothing was saved or sent.</p>
        <p>
          Sign in in a new tab. Then come back here, go back one page in your browser, and send the
          form again: what you typed is still there.
        </p>
        <p>
          <a
            class="button primary"
            href={`/sign-in?to=${encodeURIComponent(page)}`}
            target="_blank"
            rel="noreferrer"
          >
            Sign in in a new tab
          </a>
        </p>
      </div>
    </Layout>,
  );
}

/** Renders the page that users see if the requested page cannot be shown. */
export function renderProblem(viewer: Viewer, title: string, { code, message }: Problem) {
  const explanation = explain(code).find(({ kind }) => kind === 'error');
  return render(
    <Layout title={title} viewer={viewer}>
      <div class="card problem">
        <h1>{title}</h1>
        <p data-problem>{message}</p>
        {explanation && (
          <details data-code={code}>
            <summary>What {code} means</summary>
            <p>{explanation.means}</p>
            <p>{explanation.next}</p>
            <p>
              <a href={guideAddress(explanation.document)}>More in the guide</a>
            </p>
          </details>
        )}
        <p>
          <a class="button" href="/">
            To the overview
          </a>
        </p>
      </div>
    </Layout>,
  );
}
