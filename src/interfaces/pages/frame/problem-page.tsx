import { explain } from '../../../core/codes/explain.ts';
import { guideAddress } from '../../../core/guide-address.ts';
import { Layout, render, type Viewer } from './layout.tsx';

/** An error as the API answers it. */
export interface Problem {
  code: string;
  message: string;
}

/** The page that users see instead of a page that cannot be shown. */
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
