import { Layout, render, type Viewer } from './layout.tsx';

/** What a person reads instead of a page that cannot be shown. */
export function renderProblem(viewer: Viewer, title: string, message: string) {
  return render(
    <Layout title={title} viewer={viewer}>
      <div class="card problem">
        <h1>{title}</h1>
        <p data-problem>{message}</p>
        <p>
          <a class="button" href="/">
            To the overview
          </a>
        </p>
      </div>
    </Layout>,
  );
}
