import { explain } from '../../../core/codes/explain.ts';
import { guideAddress } from '../../../core/guide-address.ts';
import { Layout, render, type Viewer } from './layout.tsx';

/** An error in the same form as in the API's responses. */
export interface Problem {
  code: string;
  message: string;
}

/** Renders the page for an ended session, for browsers without scripts. `page` contains the form. */
export function renderSessionEnded(viewer: Viewer, page: string) {
  return render(
    <Layout title="Sign in again" viewer={viewer}>
      <div class="card problem">
        <h1>Sign in again</h1>
        <p data-problem>Your session has ended. Nothing was saved or sent.</p>
        <p>
          Open a new tab and sign in there. Then return to this tab, go back one page, and send the
          form again. Your entries are still there.
        </p>
        <p>
          <a
            class="button primary"
            href={`/sign-in?to=${encodeURIComponent(page)}`}
            target="_blank"
            rel="noreferrer"
          >
            Open a new tab and sign in
          </a>
        </p>
      </div>
    </Layout>,
  );
}

/** Renders the page for a request that cannot be answered. */
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
