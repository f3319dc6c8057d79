#version 330
// Marble: stripes that a sum of waves bends.
in vec2 place;
out vec4 color;

float waves(vec2 p)
{
    float sum = 0.0;
    for (int i = 1; i <= 4; i++) {
        p = mat2(0.8, 0.6, -0.6, 0.8) * p * 1.9;
        sum += sin(p.x + 1.7 * float(i)) * cos(p.y - 0.9 * float(i)) / float(i);
    }
    return sum;
}

void main()
{
    float stripe = 0.5 + 0.5 * sin(6.2832 * (place.x + 0.35 * waves(place * 3.0)) * 2.0);
    vec3 stone = mix(vec3(0.13, 0.17, 0.30), vec3(0.93, 0.91, 0.86), pow(stripe, 0.7));
    color = vec4(stone, 1.0);
}
