import * as z from "zod";

export const guidePath = z.object({
  guide: z.string().meta({ description: "Name of the guide, or of a file that a guide links to" }),
});

const section = z.object({
  anchor: z.string().meta({ description: "Fragment of its address" }),
  title: z.string(),
  text: z.string().meta({ description: "Without markup" }),
});

export const guideList = z
  .object({
    guides: z.array(
      z.object({
        name: z.string().meta({ description: "Last part of its path" }),
        title: z.string(),
        sections: z.array(section),
      }),
    ),
  })
  .meta({ id: "GuideList" });
