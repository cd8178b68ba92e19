import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files start first, so that none of them runs alone at the end. */
const longest = ["every-page.test.ts", "mls-commits.test.ts"];
/**
 * Runs beside the longest files, on the core that they leave idle, in a single worker, which loads the CDK only once.
 */
const besideLongest = "infra";

/** Keeps the files of a project together: a worker ends when the project changes. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.endsWith(name));
    const first = sorted.filter((file) => place(file) !== -1);
    const beside = sorted.filter(({ project }) => project.name === besideLongest);
    const others = sorted.filter((file) => !first.includes(file) && !beside.includes(file));
    const inOrder = [...first.toSorted((one, other) => place(one) - place(other)), ...others];
    const grouped = [...Map.groupBy(inOrder, ({ project }) => project.name).values()].flat();
    return [...grouped.slice(0, first.length), ...beside, ...grouped.slice(first.length)];
  }
}
