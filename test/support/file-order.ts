import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files start first, so that none of them runs alone at the end. */
const longest = ["event-faults.test.ts", "bad-input.test.ts"];

/** Keeps the files of a project together: at a change of project, the worker ends, and with it the stack. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? longest.length : place;
    };
    const projects = Map.groupBy(sorted, ({ project }) => project.name).values();
    return [...projects].flatMap((ofOne) => ofOne.toSorted((one, other) => rank(one) - rank(other)));
  }
}
